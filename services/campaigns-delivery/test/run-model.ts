import type { CampaignRun } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Fault } from '@lettergate/fault'
import type { RunAction } from '../src/runs/run-controls.ts'
import type { RunState } from '../src/runs/run-states.ts'

/** The state of the latest run of a campaign, or none if no run was ever visible. */
export type Seen = 'none' | RunState

/** The result of an action: the state of the run, or a refusal. */
export type ActionResult = { state: RunState } | 'refused'

/** State changes that workers make without any action. */
const byItself: Partial<Record<Seen, RunState>> = { scheduled: 'sending', sending: 'completed' }

/** The target states of each action, written separately: the model must not use the code that it checks. */
const ways: Record<RunAction, Partial<Record<Seen, readonly RunState[]>>> = {
  pause: { scheduled: ['paused'], sending: ['paused'] },
  resume: { paused: ['scheduled', 'sending'] },
  cancel: { scheduled: ['cancelled'], sending: ['cancelled'], paused: ['cancelled'] },
  unschedule: { scheduled: ['unscheduled'] },
}

/** These states and all states that workers may have reached from them. */
export function grown(states: ReadonlySet<Seen>): Set<Seen> {
  const all = new Set(states)
  for (const state of all) {
    const then = byItself[state]
    if (then) all.add(then)
  }
  return all
}

/** The possible states after an action with this result. Empty when the result is impossible. */
export function after(states: ReadonlySet<Seen>, action: RunAction, answer: ActionResult): Set<Seen> {
  const before = [...grown(states)]
  if (answer === 'refused') return new Set(before.filter((state) => ways[action][state] === undefined))
  const reachable = grown(new Set(before.flatMap((state) => ways[action][state] ?? [])))
  return new Set(reachable.has(answer.state) ? [answer.state] : [])
}

/** The same for two concurrent actions, in either order. */
export function afterBoth(
  states: ReadonlySet<Seen>,
  [first, second]: readonly [RunAction, RunAction],
  [one, other]: readonly [ActionResult, ActionResult],
): Set<Seen> {
  return new Set([
    ...after(after(states, first, one), second, other),
    ...after(after(states, second, other), first, one),
  ])
}

/** A refusal that changed nothing is a result. Other errors are thrown. */
export async function answerOf(call: Promise<{ campaignRun?: CampaignRun | undefined }>): Promise<ActionResult> {
  try {
    return { state: (await call).campaignRun!.state as RunState }
  } catch (error) {
    const { code, reason } = error as Fault
    if (code === 'failed_precondition' && reason === 'run_state') return 'refused'
    throw error
  }
}
