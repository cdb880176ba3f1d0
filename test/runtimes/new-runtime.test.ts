/** The runtime from which `sluice new-runtime` copies: its own test, as it is copied. */
import '../../src/cli/new-runtime/template/test/conformance.test.ts';
