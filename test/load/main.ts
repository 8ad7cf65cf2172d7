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
import { reads } from './measures/reads.ts'
import { contactUpserts } from './measures/contact-upserts.ts'
import { deliveryAt } from './measures/delivery.ts'
import { eligibility } from './measures/eligibility.ts'
import { eventToReport } from './measures/event-to-report.ts'
import { gateToLastHandOff } from './measures/gate-to-last-hand-off.ts'
import { idle } from './measures/idle.ts'
import { providerWebhooks } from './measures/provider-webhooks.ts'
import { sanitising } from './measures/sanitising.ts'
import { snapshot, snapshotByTags } from './measures/snapshot.ts'
import { sourceEvents } from './measures/source-events.ts'
import { loadOptions, type Options } from './options.ts'
import { show, type Result } from './result.ts'

type Measure = (bench: Bench) => Promise<Result[]>

/** In this order: what needs a small database comes first. */
const measures: Record<string, Measure> = {
  idle,
  sanitising,
  'contact-upserts': contactUpserts,
  'source-events': sourceEvents,
  'provider-webhooks': providerWebhooks,
  'event-to-report': eventToReport,
  eligibility,
  reads,
  'delivery-0ms': deliveryAt(0),
  'delivery-50ms': deliveryAt(50),
  'delivery-200ms': deliveryAt(200),
  'audience-verdicts': audienceVerdicts,
  snapshot,
  'snapshot-by-tags': snapshotByTags,
}

/** Taken again on a stack that believes the wallet for 5 s: what asking the wallet about each request costs is the difference. */
const withCache = ['contact-upserts', 'eligibility', 'reads']
const cacheSeconds = 5

/** Only by name: they have a goal and no floor. */
const others: Record<string, Measure> = { 'gate-to-last-hand-off': gateToLastHandOff }

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => say(`  ${line}`)

function picked({ measures: names }: Options): string[] {
  const known = { ...measures, ...others }
  const unknown = names.filter((name) => !(name in known))
  if (unknown.length > 0)
    throw new Error(`there is no measure ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)
  return names.length === 0 ? Object.keys(measures) : [...names]
}

/** Takes the measures on a stack of its own. */
async function take(names: readonly string[], options: Options, walletCacheSeconds: number): Promise<Result[]> {
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
    WALLET_VALIDATION_CACHE_SECONDS: String(walletCacheSeconds),
    ...(options.statements ? { LETTERGATE_POSTGRES_PRELOAD: 'pg_stat_statements' } : {}),
  })
  try {
    const bench = await openBench(config, await up(config, tell), options, tell)
    const results: Result[] = []
    try {
      for (const name of names) results.push(...(await { ...measures, ...others }[name]!(bench)))
    } finally {
      await bench.close()
    }
    return results
  } catch (error) {
    throw new Error(
      `${(error as Error).message}\nLogs were in ${directory}/logs; LETTERGATE_BENCH_KEEP=true keeps them.`,
      { cause: error },
    )
  } finally {
    await down(config, () => undefined)
    if (!options.keep) rmSync(directory, { recursive: true, force: true })
  }
}

try {
  const options = loadOptions()
  const names = picked(options)
  const results = await take(names, options, 0)
  const again = names.filter((name) => withCache.includes(name))
  if (again.length > 0) {
    tell(`again with WALLET_VALIDATION_CACHE_SECONDS=${cacheSeconds}`)
    const cached = await take(again, options, cacheSeconds)
    results.push(...cached.map((result) => ({ ...result, name: `${result.name}, wallet cached ${cacheSeconds} s` })))
  }
  say(`\n${cpus().length} cores, PostgreSQL and everything else on this machine\n\n${show(results)}`)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nThe benchmark could not go on: ${(error as Error).message}\n`)
}
process.exit()
