/**
 * True if tests check all cases at full size, not a part of them: with BOURSE_TEST_ALL=1, as in `.ci/run`. Also
 * true outside the test runner, as in the bench.
 */
export const TESTS_ALL = process.env["BOURSE_TEST_ALL"] === "1" || process.env.NODE_ENV !== "test";
