// The last line of a test run: how many tests passed and failed. A test file that cannot be loaded counts as one failure.
// Writes which files failed to the file that FAILED_TEST_FILES names, for a second run of these (see test.ts), which adds its
// numbers to those of the other files.
import { writeFileSync } from 'node:fs'

const { FAILED_TEST_FILES: path, PASSED_IN_OTHER_FILES: before = '0' } = process.env
const hasFailed = ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError !== undefined

export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const files = results.testResults.filter(hasFailed)
    const passedInOthers = results.numPassedTests - files.reduce((sum, { numPassingTests }) => sum + numPassingTests, 0)
    if (path)
      writeFileSync(path, JSON.stringify({ files: files.map(({ testFilePath }) => testFilePath), passedInOthers }))
    const passed = Number(before) + results.numPassedTests
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
