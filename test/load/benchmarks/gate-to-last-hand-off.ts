import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { audienceOf } from '../audience.ts'
import { workspace, type Bench } from '../bench.ts'
import { schedule, type BenchRun } from '../campaigns.ts'
import { callsAfter, configureProvider, type AcceptedCall } from '../provider.ts'
import type { Result } from '../result.ts'
import { slowDown } from '../slow-process.ts'

const recipients = 20_000
/** A run with fewer remaining recipients is cancelled and a new one starts, so that no run ends while its gate is closed. */
const leftMin = 8_000
/**
 * A closing counts if the run has this number of remaining recipients when the API has answered: more than the calls in progress
 * can carry (16 of 100 recipients), so that only a gate that does not hold lets the run end.
 */
const leftAtClosingMin = 4_000
const latencyMs = 100
const goalMs = 2_000
/** The time that the benchmark watches the provider's ledger after a gate was closed; longer than the goal. */
const watchMs = 6_000
/** A run is sending again after this number of calls since its gate opened, the last of them within `justNowMs`. */
const callsMin = 5
const justNowMs = 500
const sendingWithinMs = 120_000

const confirmation = 'ACTIVATE PRODUCTION SENDING'
const workspaceAtConsole = workspace.replace('/api/v1', '/console/api')
const platformGate = '/console/api/platform/gates/production_sending_enabled'

interface Owner {
  api: Api
  /** the same user with a browser session */
  browser: Api
}

interface Gate {
  name: string
  close(owner: Owner, run: BenchRun): Promise<unknown>
  open(owner: Owner, run: BenchRun): Promise<unknown>
}

/** The API calls that stop a sending run. */
const gates: readonly Gate[] = [
  {
    name: 'platform gate closed',
    close: ({ browser }) => browser.ok('PUT', platformGate, { enabled: false }),
    open: ({ browser }) => browser.ok('PUT', platformGate, { enabled: true }),
  },
  {
    name: 'workspace turned off',
    close: ({ browser }) => browser.ok('POST', `${workspaceAtConsole}/sending-off`),
    open: ({ api }) => api.ok('POST', `${workspace}/activate-sending`, { confirmation, quota_reviewed: true }),
  },
  {
    name: 'run paused',
    close: ({ api }, run) => api.ok('POST', `${workspace}/campaign-runs/${run.id}/pause`),
    open: ({ api }, run) => api.ok('POST', `${workspace}/campaign-runs/${run.id}/resume`),
  },
]

/**
 * Measures the time from the API's answer that a gate is closed to the last messages call in the provider's ledger, for many
 * closings of each gate. It repeats this with a slow contacts-consent, which must not change the result.
 */
export async function gateToLastHandOff(bench: Bench): Promise<Result[]> {
  const { api, stack } = bench
  const owner = { api, browser: openApi(stack.base_url, await signInAs('owner', stack.base_url)) }
  const contacts = stack.processes.find(({ name }) => name === 'contacts-consent')!
  await configureProvider(stack, 'faults', { mode: 'none', latency_ms: latencyMs })
  const runs = openRuns(bench, await audienceOf(bench, recipients))
  const results: Result[] = []
  try {
    for (const slowPid of [undefined, contacts.pid])
      for (const gate of gates) results.push(await measure(bench, { gate, owner, runs, slowPid }))
  } finally {
    await runs.end()
    await configureProvider(stack, 'faults', { mode: 'none' })
    await owner.browser.close()
  }
  return results
}

interface Setting {
  gate: Gate
  owner: Owner
  runs: Runs
  /** a process that is slow while a gate is closed */
  slowPid: number | undefined
}

async function measure(bench: Bench, setting: Setting): Promise<Result> {
  const { options, print } = bench
  const name = `${setting.gate.name}${setting.slowPid === undefined ? '' : ', contacts-consent slow'}`
  print(`${name}: ${options.closings} closings`)
  const tookMs: number[] = []
  while (tookMs.length < options.closings) {
    // before a process is slow, because the request that schedules a run may need it
    const run = await setting.runs.haveEnough()
    const slow = setting.slowPid === undefined ? undefined : slowDown(setting.slowPid)
    let ms: number | undefined
    try {
      ms = await closeOnce(bench, setting, run)
    } finally {
      await slow?.stop()
    }
    await setting.gate.open(setting.owner, run)
    if (ms !== undefined) tookMs.push(ms)
  }
  const sorted = tookMs.toSorted((one, other) => one - other)
  const percentile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]!
  return {
    name: `${name}, p99`,
    unit: 'ms',
    ours: percentile(0.99),
    floor: goalMs,
    floorIs: 'not a floor: the goal, at most',
    note: `p50 ${percentile(0.5)} ms, max ${sorted.at(-1)} ms of ${sorted.length} closings`,
  }
}

/** Closes the gate. Returns the time to the last call, or undefined if few recipients of the run were left at that moment. */
async function closeOnce({ stack }: Bench, { gate, owner, runs }: Setting, run: BenchRun): Promise<number | undefined> {
  await runs.untilSending()
  // so that the gate closes at different moments of the workers' timers
  await sleep(Math.random() * 250)
  await gate.close(owner, run)
  const closedAt = Date.now()
  const { left } = await runs.now()
  if (left < leftAtClosingMin) return undefined
  await sleep(watchMs)
  const arrivals = (await callsAfter(stack, runs.seen(), { withMessages: false })).map((call) => call.arrived_at)
  if ((await runs.now()).state === 'completed')
    throw new Error(`${gate.name}: run ${run.id} sent its last ${left} recipients after the gate was closed`)
  return Math.max(closedAt, ...arrivals) - closedAt
}

interface Runs {
  /** The current run if it has enough remaining recipients, otherwise a new one. */
  haveEnough(): Promise<BenchRun>
  /** Resolves when the current run is sending. */
  untilSending(): Promise<void>
  /** the state of the current run and the number of its remaining recipients */
  now(): Promise<{ state: string; left: number }>
  /** the number of the last call that was read before the gate was closed */
  seen(): number
  /** Cancels the current run. */
  end(): Promise<void>
}

function openRuns(bench: Bench, audienceId: string): Runs {
  const { api, stack } = bench
  let current: BenchRun | undefined
  let seen = -1
  const pathOf = ({ id }: BenchRun) => `${workspace}/campaign-runs/${id}`
  async function read(run: BenchRun): Promise<{ state: string; left: number }> {
    const { campaign_run: now } = await api.ok<{ campaign_run: { state: string; sent_count: number } }>(
      'GET',
      pathOf(run),
    )
    return { state: now.state, left: recipients - now.sent_count }
  }

  async function end() {
    if (!current) return
    const { state } = await read(current)
    if (state !== 'completed') await api.ok('POST', `${pathOf(current)}/cancel`)
    current = undefined
  }
  async function haveEnough(): Promise<BenchRun> {
    if (current && (await read(current)).left >= leftMin) return current
    await end()
    current = (await schedule(bench, { audienceId, inSeconds: 3 })).run
    return current
  }
  async function newCalls(): Promise<AcceptedCall[]> {
    const calls = await callsAfter(stack, seen, { withMessages: false })
    seen = calls.at(-1)?.number ?? seen
    return calls
  }

  return {
    haveEnough,
    async untilSending() {
      const began = Date.now()
      // skips the calls from before the gate was opened
      await newCalls()
      for (let count = 0; ; await sleep(50)) {
        const calls = await newCalls()
        count += calls.length
        if (count >= callsMin && Date.now() - (calls.at(-1)?.arrived_at ?? 0) < justNowMs) return
        if (Date.now() - began > sendingWithinMs)
          throw new Error(`after ${sendingWithinMs / 1_000} s the provider has no messages of run ${current!.id}`)
      }
    },
    now: () => read(current!),
    seen: () => seen,
    end,
  }
}
