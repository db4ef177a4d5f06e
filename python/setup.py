# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The wheel holds a shared library of this platform and works with every Python 3: its tag says both."""

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"bdist_wheel": PlatformWheel})
