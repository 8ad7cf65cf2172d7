// make bench: what each job can do here, beside what its parts can do alone in the same run. BENCH=eligibility,delivery-50ms
// picks; BENCH_STATEMENTS=true tells after each measure what ours spent, by statement and by process.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@lettergate/local/launcher/config'
import { down } from '@lettergate/local/launcher/down'
import { up } from '@lettergate/local/launcher/up'
import { freePort } from '@lettergate/stage/ports'
import { openBench, type Bench } from './bench.ts'
import { audienceVerdicts } from './measures/audience-verdicts.ts'
import { contactUpserts } from './measures/contact-upserts.ts'
import { deliveryAt } from './measures/delivery.ts'
import { eligibility } from './measures/eligibility.ts'
import { eventToReport } from './measures/event-to-report.ts'
import { gateToLastHandOff } from './measures/gate-to-last-hand-off.ts'
import { providerWebhooks } from './measures/provider-webhooks.ts'
import { sanitising } from './measures/sanitising.ts'
import { snapshot, snapshotByTags } from './measures/snapshot.ts'
import { sourceEvents } from './measures/source-events.ts'
import { loadOptions, type Options } from './options.ts'
import { show, type Result } from './result.ts'

type Measure = (bench: Bench) => Promise<Result[]>

/** In this order: what needs a small database comes first. */
const measures: Record<string, Measure> = {
  sanitising,
  'contact-upserts': contactUpserts,
  'source-events': sourceEvents,
  'provider-webhooks': providerWebhooks,
  'event-to-report': eventToReport,
  eligibility,
  'delivery-0ms': deliveryAt(0),
  'delivery-50ms': deliveryAt(50),
  'delivery-200ms': deliveryAt(200),
  'audience-verdicts': audienceVerdicts,
  snapshot,
  'snapshot-by-tags': snapshotByTags,
}

/** Only by name: they have a goal and no floor. */
const others: Record<string, Measure> = { 'gate-to-last-hand-off': gateToLastHandOff }

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => say(`  ${line}`)

function picked({ measures: names }: Options): Measure[] {
  const known = { ...measures, ...others }
  const unknown = names.filter((name) => !(name in known))
  if (unknown.length > 0)
    throw new Error(`there is no measure ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)
  return names.length === 0 ? Object.values(measures) : names.map((name) => known[name]!)
}

const options = loadOptions()
const directory = mkdtempSync(join(tmpdir(), 'lettergate-bench-'))
chmodSync(directory, 0o755)
const config = loadConfig({
  LETTERGATE_STATE_DIR: directory,
  LETTERGATE_PORT: String(await freePort()),
  ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
  VALIDATE_RESPONSES: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_CALLER_PER_MINUTE: '100000000',
  RATE_LIMIT_WORKSPACE_PER_MINUTE: '100000000',
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '100000000',
  RATE_LIMIT_SOURCE_EVENTS_PER_MINUTE: '100000000',
  ...(options.statements ? { LETTERGATE_POSTGRES_PRELOAD: 'pg_stat_statements' } : {}),
})

try {
  const chosen = picked(options)
  const bench = await openBench(config, await up(config, tell), options, tell)
  const results: Result[] = []
  try {
    for (const measure of chosen) results.push(...(await measure(bench)))
  } finally {
    await bench.close()
  }
  say(`\n${cpus().length} cores, PostgreSQL and everything else on this machine\n\n${show(results)}`)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(
    `\nThe benchmark could not go on: ${(error as Error).message}\nLogs were in ${directory}/logs; LETTERGATE_BENCH_KEEP=true keeps them.\n`,
  )
} finally {
  await down(config, () => undefined)
  if (!options.keep) rmSync(directory, { recursive: true, force: true })
}
process.exit()
