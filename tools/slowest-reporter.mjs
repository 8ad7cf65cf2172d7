// Prints the ten test files that took longest, with the seconds of each from its first import to its last test.
import { relative } from 'node:path'

const shown = 10

export default class SlowestReporter {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= shown) return
    const seconds = ({ perfStats }) => (perfStats.end - perfStats.start) / 1_000
    const slowest = testResults.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, shown)
    const lines = slowest.map(
      (file) => `${seconds(file).toFixed(1).padStart(7)} s  ${relative('.', file.testFilePath)}`,
    )
    process.stderr.write(`\nThe ${shown} slowest of ${testResults.length} files:\n${lines.join('\n')}\n`)
  }
}
