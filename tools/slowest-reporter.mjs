// Prints the ten test files, or as many as SLOWEST_FILES says, that took the most processor time in their worker, with the
// seconds of each from its first import to its last test, and the processor time of all. The time of servers and of started
// processes is not in it.
import { relative } from 'node:path'

const shown = Number(process.env.SLOWEST_FILES ?? 10)

export default class SlowestReporter {
  #files = []

  onTestResult({ path }, { perfStats, processorSeconds = 0 }) {
    this.#files.push({ path, processorSeconds, seconds: (perfStats.end - perfStats.start) / 1_000 })
  }

  onRunComplete() {
    if (this.#files.length <= shown) return
    const all = this.#files.reduce((sum, file) => sum + file.processorSeconds, 0)
    const slowest = this.#files.toSorted((a, b) => b.processorSeconds - a.processorSeconds).slice(0, shown)
    const lines = slowest.map(
      (file) =>
        `${file.processorSeconds.toFixed(1).padStart(7)} s of ${file.seconds.toFixed(1)} s  ${relative('.', file.path)}`,
    )
    process.stderr.write(
      `\nThe processor time of ${this.#files.length} files was ${all.toFixed(0)} s, most of it in:\n${lines.join('\n')}\n`,
    )
  }
}
