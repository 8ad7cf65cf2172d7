import type { RunEvents } from './run-events.ts'
import { controlRun, scheduleRun } from './runs.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

const tomorrow = 86_400_000

/** Schedules a run for tomorrow, unschedules it, schedules it again and cancels it. A cancelled run cannot be resumed. */
export async function unscheduleAndCancel(scene: Scene, events: RunEvents, campaignId: string): Promise<ReportRow[]> {
  const first = await scheduleRun(scene, campaignId, tomorrow)
  await controlRun(scene, first, 'unschedule')
  const second = await scheduleRun(scene, campaignId, tomorrow)
  await controlRun(scene, second, 'cancel')
  const resumed = await controlRun(scene, second, 'resume')
  scene.print(
    `a run for tomorrow is unscheduled, scheduled again and cancelled; resuming it is refused: “${resumed.text}”`,
  )
  const [ofFirst, ofSecond] = [
    await events.ofRun(first.id, ['scheduled', 'unscheduled']),
    await events.ofRun(second.id, ['scheduled', 'cancelled']),
  ]
  return [
    { name: 'resuming a cancelled run', actual: resumed.status, expected: 422 },
    { name: 'last event of the unscheduled run', actual: ofFirst.at(-1), expected: 'unscheduled' },
    { name: 'last event of the cancelled run', actual: ofSecond.at(-1), expected: 'cancelled' },
  ]
}
