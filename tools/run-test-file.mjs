// Runs one test file with Jest's own framework, but loads its modules with Node. Jest would evaluate every module again for
// every test file, which takes longer than most tests; here a worker evaluates the sources of libs and services once. Modules
// of tests are evaluated for each test file, because they may have state and hooks.
import { createRequire, flushCompileCache, registerHooks } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import circus from 'jest-circus/runner'

const require = createRequire(import.meta.url)
const root = new URL('../', import.meta.url).href
const globalsUrl = new URL('test-globals.mjs', import.meta.url).href
const isOfTests = (url) =>
  url.startsWith(root) && !url.includes('/node_modules/') && /\/test\/|^test\/|\.test\.ts$/.test(url.slice(root.length))

/** How often each test file was run by this worker. */
const runs = new Map()
/** The query of the modules of the current test file. The same in every run, because Node's compile cache has it in its keys. */
let query = ''
/** What `@jest/globals` exports to the current test file. */
export let testGlobals

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: `${globalsUrl}?${query}`, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    return isOfTests(resolved.url) ? { ...resolved, url: `${resolved.url}?${query}` } : resolved
  },
})

/** Jest calls this for each test file. Adds the processor time to the result. */
export default async function runTestFile(globalConfig, config, environment, runtime, path, report) {
  const run = (runs.get(path) ?? 0) + 1
  runs.set(path, run)
  query = new URLSearchParams({ file: relative(fileURLToPath(root), path), ...(run > 1 && { run }) }).toString()
  // The framework keeps tests and handlers in globals of its own. They must be new for each file.
  runtime.requireInternalModule = (id) => {
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'].includes(key.description)) delete globalThis[key]
    delete require.cache[id]
    return require(id)
  }
  runtime.unstable_shouldLoadAsEsm = () => true
  runtime.unstable_importModule = (id) => {
    testGlobals = runtime.requireModuleOrMock(path, '@jest/globals')
    return import(pathToFileURL(id).href)
  }
  const before = process.cpuUsage()
  const result = await circus.default(globalConfig, config, environment, runtime, path, report)
  const { user, system } = process.cpuUsage(before)
  // For the processes that tests start, and for workers that start later; Node itself does it only when a process ends.
  if (runs.size === 1) flushCompileCache()
  return { ...result, processorSeconds: (user + system) / 1e6 }
}
