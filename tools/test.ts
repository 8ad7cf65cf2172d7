// Runs every test, or the named files, on one PostgreSQL and one NATS for the whole run. A run of every test fails when a
// declared SQL statement was executed by none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureCertificates } from '@lettergate/stage/certificates'
import { dropRun } from '@lettergate/stage/template'
import { startInfra } from '@lettergate/stage/infra'
import { loadConfig } from '@lettergate/stage/config'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'
import { statementsNeverExecuted } from './statements.ts'
import { stopStacks } from './stop-stacks.ts'

const given = loadConfig()
const run = `r${process.pid}`
process.stderr.write('starting PostgreSQL and NATS for the tests\n')
const infra = await startInfra(given)
const certificates = mkdtempSync(join(tmpdir(), 'lettergate-certificates-'))
// Of every caller, before the tests begin: two processes must not make the same certificate.
const callers = ['../services', '../deploy'].flatMap((folder) => readdirSync(new URL(folder, import.meta.url)))
await ensureCertificates(certificates, callers)
const statements = mkdtempSync(join(tmpdir(), 'lettergate-statements-'))
const stacks = scratchDirectory('lettergate-stacks-')
const jest = new URL('../node_modules/jest/bin/jest.js', import.meta.url).pathname
const child = spawn(process.execPath, ['--no-warnings', jest, ...process.argv.slice(2)], {
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
  },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.kill(-child.pid!, signal))
const [code] = (await once(child, 'exit')) as [number | null]
await stopStacks(stacks)
await dropRun(infra.databaseUrl, run)
await infra.stop()
rmSync(certificates, { recursive: true })
process.exitCode = code ?? 1

// Only a run of all tests can tell that none executes a statement.
const isComplete = code === 0 && process.argv.length === 2
const never = isComplete ? statementsNeverExecuted(statements) : []
rmSync(statements, { recursive: true })
if (never.length > 0) {
  process.stderr.write(`no test executes these declared statements:\n${never.map((name) => `  ${name}\n`).join('')}`)
  process.exitCode = 1
}
