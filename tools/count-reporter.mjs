// The last line of a test run: how many tests passed and failed. A test file that cannot be loaded counts as one failure.
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    this.failed = failed
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`))
  }
}
