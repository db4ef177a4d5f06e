#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# processor.sh TEST_PROCESSOR PROGRAM...: programs built for AVX2 end with a message on a processor without it, before main.
# TEST_PROCESSOR contains their check for a processor without the features in LACKS. Each PROGRAM contains the check, itself without AVX
# instructions.
set -u
check=$1
shift
wrong=0

fail()
{
    echo "FAILED: $*"
    wrong=$((wrong + 1))
}

said=$("$check" 2>&1) || fail "exit code $? on a processor with AVX2"
[ "$said" = "main has begun" ] || fail "on a processor with AVX2: $said"
for feature in avx2 bmi bmi2; do
    code=0
    said=$(LACKS=$feature "$check" 2>&1) || code=$?
    [ "$code" -eq 2 ] || fail "exit code $code without $feature"
    case $said in
    *"main has begun"*) fail "main runs without $feature" ;;
    "trammel: this program was built for processors with AVX2 (x86-64-v3), which this one lacks."*) ;;
    *) fail "without $feature: $said" ;;
    esac
done

for program; do
    code=$(objdump -d --no-show-raw-insn --disassemble=check_processor "$program" | sed -n '/<check_processor>:/,$p')
    echo "$code" | grep -q 'call.*_exit' || fail "$program does not check the processor"
    ! echo "$code" | grep -E '[[:space:]]v[a-z]+([[:space:]]|$)' || fail "$program needs AVX before it has checked for it"
done
echo "processor: $# programs, $wrong wrong"
[ "$wrong" -eq 0 ]
