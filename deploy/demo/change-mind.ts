import type { RunEvents } from './run-events.ts'
import { controlRun, scheduleRun } from './runs.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

const tomorrow = 86_400_000

/** A run for tomorrow is taken back, scheduled again and cancelled, which is final. */
export async function changeMind(scene: Scene, events: RunEvents, campaignId: string): Promise<Row[]> {
  const first = await scheduleRun(scene, campaignId, tomorrow)
  await controlRun(scene, first, 'unschedule')
  const second = await scheduleRun(scene, campaignId, tomorrow)
  await controlRun(scene, second, 'cancel')
  const tooLate = await controlRun(scene, second, 'resume')
  scene.tell(`a run for tomorrow is taken back, scheduled again and cancelled; that is final: “${tooLate.text}”`)
  const [ofFirst, ofSecond] = [
    await events.ofRun(first.id, ['scheduled', 'unscheduled']),
    await events.ofRun(second.id, ['scheduled', 'cancelled']),
  ]
  return [
    { name: 'resuming what was cancelled', actual: tooLate.status, expected: 422 },
    { name: 'events of the run taken back', actual: ofFirst.at(-1), expected: 'unscheduled' },
    { name: 'of the run cancelled', actual: ofSecond.at(-1), expected: 'cancelled' },
  ]
}
