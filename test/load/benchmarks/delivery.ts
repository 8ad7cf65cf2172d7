import { setTimeout as sleep } from 'node:timers/promises'
import { audienceOf } from '../audience.ts'
import { untilNone, workspace, type Bench } from '../bench.ts'
import { html, schedule } from '../campaigns.ts'
import { deliveryFloor } from '../floors.ts'
import { addedSince, quantile, readHistogram, type Histogram } from '../histogram.ts'
import { processorMs, type NamedProcess } from '../processor-time.ts'
import { configureProvider } from '../provider.ts'
import type { Result } from '../result.ts'
import { secondWorkerName, startSecondWorker } from '../second-worker.ts'
import { countSpending, type Spending } from '../spending.ts'

const domain = 'mail.acme.test'

/** Messages that both sides deliver before the measurement. */
const warmUp = 10_000

/** Sends one campaign with one worker and one with two workers, at a provider with this latency. */
export const deliveryAt =
  (latencyMs: number) =>
  async (bench: Bench): Promise<Result[]> => {
    const results: Result[] = []
    const audienceId = await audienceOf(bench, bench.options.recipients)
    const warmUpId = await audienceOf(bench, warmUp)
    await configureProvider(bench.stack, 'faults', { mode: 'none', latency_ms: latencyMs })
    try {
      results.push(await measure(bench, { audienceId, warmUpId, latencyMs, more: [], moreMetrics: [] }))
      const second = await startSecondWorker(bench.config, bench.stack)
      try {
        const more = [{ name: secondWorkerName, pid: second.running.pid }]
        const moreMetrics = [metricsOf(second.running.health_url)]
        results.push(await measure(bench, { audienceId, warmUpId, latencyMs, more, moreMetrics }))
      } finally {
        await second.stop()
      }
    } finally {
      await configureProvider(bench.stack, 'faults', { mode: 'none' })
    }
    return results
  }

/** Settings with which the calls of a worker limit it, so that the machine does not. */
export const limitedCalls = { DELIVERY_CALLS_AT_ONCE: '8', CONNECTION_HAND_OFFS_AT_ONCE: '64' }
const limitedLatencyMs = 200
const limitedRecipients = 20_000

/**
 * Compares two workers with one, on a stack with `limitedCalls`. Without a limit one worker uses all processors of a small
 * machine, and a second one cannot add anything.
 */
export async function deliveryWorkers(bench: Bench): Promise<Result[]> {
  const recipients = Math.min(limitedRecipients, bench.options.recipients)
  bench.print(
    `delivery of ${recipients} at ${limitedLatencyMs} ms by one worker and by two, each with ${limitedCalls.DELIVERY_CALLS_AT_ONCE} calls at once`,
  )
  const audienceId = await audienceOf(bench, recipients)
  await configureProvider(bench.stack, 'faults', { mode: 'none', latency_ms: limitedLatencyMs })
  const rate = async () => {
    const { sent, seconds } = await withoutEvents(bench, () => deliver(bench, { audienceId, recipients }))
    if (sent !== recipients) throw new Error(`${sent} of ${recipients} were sent`)
    return recipients / seconds
  }
  try {
    await rate()
    const one = await rate()
    const second = await startSecondWorker(bench.config, bench.stack)
    try {
      return [
        {
          name: `two workers at ${limitedLatencyMs} ms`,
          unit: 'messages/s',
          ours: await rate(),
          floor: one,
          floorIs: `one worker; each has ${limitedCalls.DELIVERY_CALLS_AT_ONCE} calls at once`,
        },
      ]
    } finally {
      await second.stop()
    }
  } finally {
    await configureProvider(bench.stack, 'faults', { mode: 'none' })
  }
}

interface Setting {
  audienceId: string
  /** an audience of `warmUp` members */
  warmUpId: string
  latencyMs: number
  /** workers in addition to the stack's worker */
  more: readonly NamedProcess[]
  /** the metrics URLs of those workers */
  moreMetrics: readonly URL[]
}

async function measure(bench: Bench, { audienceId, warmUpId, latencyMs, more, moreMetrics }: Setting): Promise<Result> {
  const { floor, stack, options, print } = bench
  const { recipients, callsAtOnce } = options
  const workers = 1 + more.length
  const name = `handed off at ${latencyMs} ms, ${workers} worker${workers === 1 ? '' : 's'}`
  const pids = [...bench.pids, ...more.map(({ pid }) => pid)]
  print(`delivery of ${recipients}, ${Math.round(html.length / 1024)} kB each, at ${latencyMs} ms, workers: ${workers}`)
  const deliverFloor = (people: number) =>
    withoutEvents(bench, () => deliveryFloor(floor.pool, stack.provider_url, { recipients: people, callsAtOnce, html }))
  await deliverFloor(warmUp)
  await withoutEvents(bench, () => deliver(bench, { audienceId: warmUpId, recipients: warmUp }))
  const floorClock = clock(pids)
  const floorRate = await deliverFloor(recipients)
  const floorMs = floorClock()
  const workersMetrics = [metricsOf(workerOf(bench).health_url), ...moreMetrics]
  const before = await verdictAges(workersMetrics)
  const oursClock = clock(pids)
  const spending = countSpending(bench, more)
  const { sent, seconds } = await withoutEvents(bench, () => deliver(bench, { audienceId, recipients, spending }))
  const oursMs = oursClock()
  spending.print(name, 'message')
  if (sent !== recipients) throw new Error(`${sent} of ${recipients} were sent`)
  return {
    name,
    unit: 'messages/s',
    ours: recipients / seconds,
    floor: floorRate,
    floorIs: `claim, call, settle in hundreds, ${callsAtOnce} calls at once`,
    note: `with eligibility and outbox; ${inProcessorTime(floorMs, oursMs)}; ${windowOf(before, await verdictAges(workersMetrics))}`,
  }
}

/** Schedules a campaign for five seconds later and waits until it is sent. The seconds and the cost are those of sending, without the snapshot. */
async function deliver(
  bench: Bench,
  { audienceId, recipients, spending }: { audienceId: string; recipients: number; spending?: Spending },
): Promise<{ sent: number; seconds: number }> {
  const { api } = bench
  const { run } = await schedule(bench, { audienceId, inSeconds: 5 })
  const path = `${workspace}/campaign-runs/${run.id}`
  const done = () => completed(api, path)
  await (spending ? spending.during(done, () => recipients) : done())
  const { report } = await api.ok<{ report: { started_at: string; completed_at: string; sent: number } }>(
    'GET',
    `${path}/report`,
  )
  return { sent: report.sent, seconds: (Date.parse(report.completed_at) - Date.parse(report.started_at)) / 1_000 }
}

const metricsOf = (healthUrl: string) => new URL('/metrics', healthUrl)

/** With `TARGET=all` the worker is in the process of all services. */
const workerOf = ({ stack: { processes } }: Bench) =>
  processes.find(({ name, role }) => name === 'campaigns-delivery' && role === 'worker') ??
  processes.find(({ name }) => name === 'lettergate')!

interface VerdictAges {
  histograms: Histogram[]
  maxSeconds: number
}

/** The age of verdicts at the start of the calls that used them. */
async function verdictAges(urls: readonly URL[]): Promise<VerdictAges> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()))
  const longest = texts.map((text) =>
    Number(/^lettergate_verdict_to_hand_off_max_seconds(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1] ?? 0),
  )
  return {
    histograms: texts.map((text) => readHistogram(text, 'lettergate_verdict_to_hand_off_seconds')),
    maxSeconds: Math.max(...longest),
  }
}

function windowOf(before: VerdictAges, after: VerdictAges): string {
  const added = addedSince(before.histograms, after.histograms)
  const ms = (seconds: number | undefined) => (seconds === undefined ? '–' : `${Math.round(seconds * 1_000)} ms`)
  return `verdict to hand-off p50 ≤ ${ms(quantile(added, 0.5))}, p99 ≤ ${ms(quantile(added, 0.99))}, max so far ${ms(after.maxSeconds)}`
}

async function completed(api: Bench['api'], path: string): Promise<void> {
  for (;;) {
    await sleep(500)
    const { campaign_run: now } = await api.ok<{ campaign_run: { state: string } }>('GET', path)
    if (now.state === 'completed') return
    if (now.state !== 'scheduled' && now.state !== 'sending') throw new Error(`the run is ${now.state}`)
  }
}

/** Runs the work while the provider sends no events, because other benchmarks measure events. It waits before and after the work until the outboxes are empty. */
async function withoutEvents<T>(bench: Bench, work: () => Promise<T>): Promise<T> {
  const { database, stack } = bench
  const { domain: before } = await configureProvider<{ domain: { webhooks: object } }>(stack, `domains/${domain}`, {})
  await configureProvider(stack, `domains/${domain}`, { webhooks: {} })
  const untilQuiet = () =>
    untilNone(
      database,
      ['campaigns', 'contacts', 'webhooks'].map((schema) => `select from ${schema}.outbox_pending limit 1`),
    )
  try {
    await untilQuiet()
    const result = await work()
    await untilQuiet()
    return result
  } finally {
    await configureProvider(stack, `domains/${domain}`, { webhooks: before.webhooks })
  }
}

function clock(pids: readonly number[]): () => number | undefined {
  const before = processorMs(pids)
  return () => (before === undefined ? undefined : processorMs(pids)! - before)
}

const inProcessorTime = (floorMs: number | undefined, oursMs: number | undefined): string =>
  floorMs === undefined || oursMs === undefined
    ? ''
    : `${(floorMs / oursMs).toFixed(2)} in processor time, its snapshot included`
