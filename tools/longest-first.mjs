// Starts the test files that take longest first, so that no worker is left alone with one at the end.
import TestSequencer from '@jest/test-sequencer'

/** Files that start a whole stack, then those that wait for workers or start several services. */
const longFolders = [
  '/test/e2e/',
  '/services/campaigns-delivery/test/',
  '/services/imports/test/running/',
  '/services/automations/test/',
  '/services/gateway/test/',
  '/test/api/',
]
const rankOf = ({ path }) => {
  const at = longFolders.findIndex((folder) => path.includes(folder))
  return at < 0 ? longFolders.length : at
}

export default class LongestFirst extends TestSequencer {
  /** Jest knows how long files took on this machine; of files that it does not know, those in the long folders are first. */
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some((test) => test.duration !== undefined)) return sorted
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
