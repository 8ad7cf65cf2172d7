import type { CampaignRun } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Fault } from '@lettergate/fault'
import type { RunAction } from '../src/runs/run-controls.ts'
import type { RunState } from '../src/runs/run-states.ts'

/** A campaign without a run that was ever seen, or what its latest run is. */
export type Seen = 'none' | RunState

/** What a control answered: the state of the run, or that it did not fit. */
export type Answer = { state: RunState } | 'refused'

/** What workers do to a run while nobody asks for anything. */
const byItself: Partial<Record<Seen, RunState>> = { scheduled: 'sending', sending: 'completed' }

/** Where each action leads, told once more and by hand: the model must not be the code that it judges. */
const ways: Record<RunAction, Partial<Record<Seen, readonly RunState[]>>> = {
  pause: { scheduled: ['paused'], sending: ['paused'] },
  resume: { paused: ['scheduled', 'sending'] },
  cancel: { scheduled: ['cancelled'], sending: ['cancelled'], paused: ['cancelled'] },
  unschedule: { scheduled: ['unscheduled'] },
}

/** These states and all that workers may have made of them by now. */
export function grown(states: ReadonlySet<Seen>): Set<Seen> {
  const all = new Set(states)
  for (const state of all) {
    const then = byItself[state]
    if (then) all.add(then)
  }
  return all
}

/** What a run may be after an action was answered like this; empty when the answer cannot have been given. */
export function after(states: ReadonlySet<Seen>, action: RunAction, answer: Answer): Set<Seen> {
  const before = [...grown(states)]
  if (answer === 'refused') return new Set(before.filter((state) => ways[action][state] === undefined))
  const reachable = grown(new Set(before.flatMap((state) => ways[action][state] ?? [])))
  return new Set(reachable.has(answer.state) ? [answer.state] : [])
}

/** The same for two actions that were asked for at once, in whichever order they happened. */
export function afterBoth(
  states: ReadonlySet<Seen>,
  [first, second]: readonly [RunAction, RunAction],
  [one, other]: readonly [Answer, Answer],
): Set<Seen> {
  return new Set([
    ...after(after(states, first, one), second, other),
    ...after(after(states, second, other), first, one),
  ])
}

/** A refusal that left the run as it was is an answer; anything else that is thrown is not. */
export async function answerOf(call: Promise<{ campaignRun?: CampaignRun | undefined }>): Promise<Answer> {
  try {
    return { state: (await call).campaignRun!.state as RunState }
  } catch (error) {
    const { code, reason } = error as Fault
    if (code === 'failed_precondition' && reason === 'run_state') return 'refused'
    throw error
  }
}
