// Starts the test files that take longest first, so that no worker is left alone with one at the end. Those that start a
// whole stack or a browser are apart, because several that start together need all the time and much memory.
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

const startsStack = ({ path }) =>
  /\/test\/e2e\/(stack|erasure|trace|rolling-restart|upgrade)\.test\.ts$|\/test\/console\//.test(path)
const filesBetweenStacks = 10

/** The same order, but with other files between those that start a stack. */
function spread(tests) {
  const others = tests.filter((test) => !startsStack(test))
  const stacks = tests.filter(startsStack)
  return [...stacks.flatMap((stack) => [stack, ...others.splice(0, filesBetweenStacks)]), ...others]
}

export default class LongestFirst extends TestSequencer {
  /** Jest knows how long files took on this machine; of files that it does not know, those in the long folders are first. */
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some((test) => test.duration !== undefined)) return spread(sorted)
    return spread(sorted.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}
