// Runs every test, or the named files, on one PostgreSQL and one NATS for the whole run. A run of every test fails when a
// declared SQL statement was executed by none. In such a run, up to ten files that failed run once more, alone.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ensureCertificates } from '@lettergate/stage/certificates'
import { dropRun } from '@lettergate/stage/template'
import { startInfra } from '@lettergate/stage/infra'
import { loadConfig } from '@lettergate/stage/config'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'
import { statementsNeverExecuted } from './statements.ts'
import { stopStacks } from './stop-stacks.ts'

interface FailedFiles {
  files: string[]
  /** tests that passed in the files without a failure */
  passedInOthers: number
}

const failedFilesMax = 10
/** For the workers too. With Node's default of 16 MB, much is moved to the old generation that is soon garbage. */
const youngGeneration = '--max-semi-space-size=64'

const given = loadConfig()
const run = `r${process.pid}`
const isWhole = process.argv.length === 2
process.stderr.write('starting PostgreSQL and NATS for the tests\n')
const infra = await startInfra(given)
const certificates = mkdtempSync(join(tmpdir(), 'lettergate-certificates-'))
// Of every caller, before the tests begin: two processes must not make the same certificate.
const callers = ['../services', '../deploy'].flatMap((folder) => readdirSync(new URL(folder, import.meta.url)))
// Tests of tables open a stage under the name of a schema.
const schemas = ['campaigns', 'contacts', 'identity', 'sending', 'webhooks']
await ensureCertificates(certificates, [...callers, ...schemas])
const statements = mkdtempSync(join(tmpdir(), 'lettergate-statements-'))
const stacks = scratchDirectory('lettergate-stacks-')
const failedFiles = join(certificates, 'failed-files.json')
const jest = new URL('../node_modules/jest/bin/jest.js', import.meta.url).pathname
let child: ChildProcess | undefined
let ended = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    ended = true
    if (child) process.kill(-child.pid!, signal)
  })

async function runTests(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number | null> {
  child = spawn(process.execPath, ['--no-warnings', youngGeneration, jest, ...args], {
    stdio: 'inherit',
    detached: true, // a group of its own, so that a signal reaches its workers and the processes that tests start
    cwd: new URL('..', import.meta.url).pathname,
    env: {
      ...process.env,
      // Kept between runs: the types of a module are stripped once, and it is compiled once.
      NODE_COMPILE_CACHE: new URL('../node_modules/.cache/compiled', import.meta.url).pathname,
      DATABASE_URL: infra.databaseUrl,
      NATS_URL: infra.natsUrl,
      LETTERGATE_TEST_CERTIFICATES: certificates,
      LETTERGATE_TEST_NATS_SEEDS: JSON.stringify(infra.natsSeeds),
      LETTERGATE_TEST_RUN: run,
      LETTERGATE_TEST_STATEMENTS: statements,
      LETTERGATE_TEST_STACKS: stacks,
      FAILED_TEST_FILES: failedFiles,
      ...env,
    },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/**
 * Runs the files again that failed, if they are few, and prints which of them passed now. A test that fails only while others
 * run is a fault that somebody must fix, but it says nothing about the change that is tested.
 */
async function runFailedTestsAgain(code: number | null): Promise<number | null> {
  if (code === 0 || ended || !isWhole || !existsSync(failedFiles)) return code
  const { files, passedInOthers } = JSON.parse(readFileSync(failedFiles, 'utf8')) as FailedFiles
  if (files.length === 0 || files.length > failedFilesMax) return code
  process.stderr.write('\nrunning the files again that failed, without others\n')
  const again = await runTests(['--runInBand', '--runTestsByPath', ...files], {
    PASSED_IN_OTHER_FILES: String(passedInOthers),
  })
  const stillFailed = again === 0 ? [] : (JSON.parse(readFileSync(failedFiles, 'utf8')) as FailedFiles).files
  const passedNow = files.filter((file) => !stillFailed.includes(file)).map((file) => `  ${relative('.', file)}\n`)
  if (passedNow.length > 0)
    process.stderr.write(
      `\nFAILED BY CHANCE: these files failed, and passed when they ran alone. Fix them:\n${passedNow.join('')}\n`,
    )
  return again
}

const code = await runFailedTestsAgain(await runTests(process.argv.slice(2)))
await stopStacks(stacks)
await dropRun(infra.databaseUrl, run)
await infra.stop()
rmSync(certificates, { recursive: true })
process.exitCode = code ?? 1

// Only a run of all tests can tell that none executes a statement.
const never = isWhole && code === 0 ? statementsNeverExecuted(statements) : []
rmSync(statements, { recursive: true })
if (never.length > 0) {
  process.stderr.write(`no test executes these declared statements:\n${never.map((name) => `  ${name}\n`).join('')}`)
  process.exitCode = 1
}
