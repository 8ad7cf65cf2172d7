// What `@jest/globals` exports to one test file; evaluated for each of them.
import { testGlobals } from './run-test-file.mjs'

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = testGlobals
