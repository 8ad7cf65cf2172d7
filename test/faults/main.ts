// make faults: one campaign while its workers, contacts-consent, the broker and database sessions are killed;
// then nobody may be lost or mailed twice, and the report must say what the provider knows. README.md tells the settings.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startSecondWorker } from '@lettergate/load/second-worker'
import { loadConfig } from '@lettergate/local/launcher/config'
import { down } from '@lettergate/local/launcher/down'
import { up } from '@lettergate/local/launcher/up'
import { freePort } from '@lettergate/stage/ports'
import { batchSizeFor, killedRun, type KilledRunResult } from './killed-run.ts'
import { loadOptions, type FaultOptions } from './options.ts'
import { planKills } from './plan-kills.ts'

const shown = 20
const say = (line: string) => process.stdout.write(`${line}\n`)
const print = (line: string) => say(`  ${line}`)

const options = loadOptions()
const directory = mkdtempSync(join(tmpdir(), 'lettergate-faults-'))
chmodSync(directory, 0o755)
const config = loadConfig({
  LETTERGATE_STATE_DIR: directory,
  LETTERGATE_PORT: String(await freePort()),
  // what is killed has to be this stack's own
  DATABASE_URL: '',
  NATS_URL: '',
  ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
  VALIDATE_RESPONSES: 'false',
  LOG_LEVEL: 'warn',
  DELIVERY_BATCH_SIZE: String(batchSizeFor(options)),
  // a claim of a worker that was killed is given up seconds later, not half a minute
  DELIVERY_HAND_OFF_TIMEOUT_MS: '4000',
  // bounces and complaints are part of the plan
  RUN_BREAKER_COMPLAINT_RATE: '100',
  RUN_BREAKER_HARD_BOUNCE_RATE: '100',
  MAILPROVIDER_MESSAGES_MAX: String(options.recipients * 2),
  RATE_LIMIT_CALLER_PER_MINUTE: '100000000',
  RATE_LIMIT_WORKSPACE_PER_MINUTE: '100000000',
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '100000000',
})

async function clearAway(): Promise<void> {
  await down(config, () => undefined)
  if (options.keep) say(`logs and data are in ${directory}`)
  else rmSync(directory, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void clearAway().finally(() => process.exit(1)))

try {
  say(`seed ${options.seed}: ${options.recipients} recipients, ${options.kills} kills`)
  process.exitCode = summary(await faults(options), options)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nseed ${options.seed} could not be carried out: ${(error as Error).message}\n`)
  process.stderr.write('FAULTS_KEEP=true keeps logs and data.\n')
} finally {
  await clearAway()
}
process.exit()

async function faults(given: FaultOptions): Promise<KilledRunResult> {
  const stack = await up(config, print)
  const database = new pg.Client({ connectionString: stack.database_url, options: '-c app.system=faults' })
  database.on('error', (error) => print(`the database went away: ${error.message}`))
  await database.connect()
  try {
    const secondWorker = await startSecondWorker(config, stack)
    return await killedRun({ config, stack, database, secondWorker }, given, { kills: planKills(given), say })
  } finally {
    await database.end()
  }
}

/** Says what was found; answers the exit code. */
function summary(
  { findings, differences, killsDone, sendingSeconds }: KilledRunResult,
  { seed, kills }: FaultOptions,
): number {
  const { included, mailed, listed } = findings
  const ends = Map.groupBy(listed, ({ state }) => state)
  say(`\nseed ${seed}: ${killsDone} kills while ${included.length} messages were sent, ${sendingSeconds.toFixed(0)} s`)
  print(
    `the provider has ${mailed.length} messages; the list says ${[...ends].map(([state, rows]) => `${rows.length} ${state}`).join(', ')}`,
  )
  for (const difference of differences.slice(0, shown)) print(`DIFFERENCE: ${difference}`)
  if (differences.length > shown) print(`and ${differences.length - shown} more`)
  if (killsDone < kills)
    print(`${kills - killsDone} KILLS WERE NOT DONE: the run was completed before, or made no progress`)
  if (differences.length === 0)
    print('nobody was mailed twice, nobody is lost, and the report says what the provider has')
  return differences.length === 0 && killsDone === kills ? 0 : 1
}
