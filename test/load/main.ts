// make bench: runs the benchmarks and prints each figure of Lettergate with its floor, measured in the same run.
// BENCH=eligibility,delivery-50ms selects benchmarks. BENCH_STATEMENTS=true prints after each benchmark the cost of
// Lettergate by statement and by process.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@lettergate/local/launcher/config'
import { down } from '@lettergate/local/launcher/down'
import { up } from '@lettergate/local/launcher/up'
import { freePort } from '@lettergate/stage/ports'
import { openBench, type Bench } from './bench.ts'
import { audienceVerdicts } from './benchmarks/audience-verdicts.ts'
import { reads } from './benchmarks/reads.ts'
import { contactUpserts } from './benchmarks/contact-upserts.ts'
import { deliveryAt, deliveryWorkers, limitedCalls } from './benchmarks/delivery.ts'
import { eligibility } from './benchmarks/eligibility.ts'
import { eventToReport } from './benchmarks/event-to-report.ts'
import { gateToLastHandOff } from './benchmarks/gate-to-last-hand-off.ts'
import { idle } from './benchmarks/idle.ts'
import { importApply, importDryRun } from './benchmarks/imports.ts'
import { automationSteps } from './benchmarks/automation-steps.ts'
import { dueAtOnce } from './benchmarks/due-at-once.ts'
import { enrollments } from './benchmarks/enrollments.ts'
import { waitingContacts } from './benchmarks/waiting-contacts.ts'
import { providerWebhooks } from './benchmarks/provider-webhooks.ts'
import { rehearsalPrediction, rehearsalsAllowed } from './benchmarks/rehearsal-prediction.ts'
import { sanitising } from './benchmarks/sanitising.ts'
import { snapshot, snapshotByTags } from './benchmarks/snapshot.ts'
import { sourceEvents } from './benchmarks/source-events.ts'
import { syntheticYears } from './benchmarks/synthetic-year.ts'
import { loadOptions, type BenchOptions } from './options.ts'
import { show, type Result } from './result.ts'

type Benchmark = (bench: Bench) => Promise<Result[]>

/** In the order in which they run: benchmarks that need a small database are first. */
const benchmarks: Record<string, Benchmark> = {
  idle,
  sanitising,
  'contact-upserts': contactUpserts,
  'source-events': sourceEvents,
  'provider-webhooks': providerWebhooks,
  'event-to-report': eventToReport,
  eligibility,
  reads,
  'synthetic-year': syntheticYears,
  'waiting-contacts': waitingContacts,
  enrollments,
  'automation-steps': automationSteps,
  'due-at-once': dueAtOnce,
  'delivery-0ms': deliveryAt(0),
  'delivery-50ms': deliveryAt(50),
  'delivery-200ms': deliveryAt(200),
  'delivery-workers': deliveryWorkers,
  'audience-verdicts': audienceVerdicts,
  snapshot,
  'snapshot-by-tags': snapshotByTags,
  'import-dry-run': importDryRun,
  'import-apply': importApply,
}

/** These run on a stack that cannot send, because imports are applied only there. */
const withoutSending = ['import-dry-run', 'import-apply']

/** These run on a stack in which each worker has few calls at once. */
const withLimitedCalls = ['delivery-workers']

/** These run again on a stack that caches answers of the wallet for 5 s. The difference is the cost of a wallet call for each request. */
const withCache = ['contact-upserts', 'eligibility', 'reads']
const cacheSeconds = 5

/** These run only when BENCH names them: they have a goal and no floor. */
const benchmarksByName: Record<string, Benchmark> = {
  'gate-to-last-hand-off': gateToLastHandOff,
  'rehearsal-prediction': rehearsalPrediction,
}

/** These run on a stack that may rehearse. */
const withRehearsals = ['rehearsal-prediction']

const printLine = (line: string) => process.stdout.write(`${line}\n`)
const print = (line: string) => printLine(`  ${line}`)

function selectedNames({ benchmarks: names }: BenchOptions): string[] {
  const known = { ...benchmarks, ...benchmarksByName }
  const unknown = names.filter((name) => !(name in known))
  if (unknown.length > 0)
    throw new Error(`there is no benchmark ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)
  return names.length === 0 ? Object.keys(benchmarks) : [...names]
}

/** Starts a stack, runs the benchmarks on it and stops it. */
async function runBenchmarks(
  names: readonly string[],
  options: BenchOptions,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result[]> {
  if (names.length === 0) return []
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
    WALLET_VALIDATION_CACHE_SECONDS: '0',
    ...environment,
    ...(options.statements ? { LETTERGATE_POSTGRES_PRELOAD: 'pg_stat_statements' } : {}),
  })
  try {
    const bench = await openBench(config, await up(config, print), options, print)
    const results: Result[] = []
    try {
      for (const name of names) results.push(...(await { ...benchmarks, ...benchmarksByName }[name]!(bench)))
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
  const names = selectedNames(options)
  const others = [...withoutSending, ...withLimitedCalls, ...withRehearsals]
  const selected = (group: readonly string[]) => names.filter((name) => group.includes(name))
  const results = await runBenchmarks(
    names.filter((name) => !others.includes(name)),
    options,
  )
  results.push(...(await runBenchmarks(selected(withLimitedCalls), options, limitedCalls)))
  results.push(...(await runBenchmarks(selected(withRehearsals), options, rehearsalsAllowed)))
  const closed = { ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false' }
  results.push(...(await runBenchmarks(selected(withoutSending), options, closed)))
  const again = selected(withCache)
  if (again.length > 0) {
    print(`again with WALLET_VALIDATION_CACHE_SECONDS=${cacheSeconds}`)
    const cached = await runBenchmarks(again, options, {
      WALLET_VALIDATION_CACHE_SECONDS: String(cacheSeconds),
    })
    results.push(...cached.map((result) => ({ ...result, name: `${result.name}, wallet cached ${cacheSeconds} s` })))
  }
  printLine(`\n${cpus().length} cores, PostgreSQL and everything else on this machine\n\n${show(results)}`)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nThe benchmark failed: ${(error as Error).message}\n`)
}
process.exit()
