import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './scene.ts'

/** The number of active members. Waits for the expected number, at most two minutes, because some unsubscribe by events. */
export async function activeMembers({ api, workspace }: Scene, audienceId: string, expected: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const { audience } = await api.ok<{ audience: { active_member_count: number } }>(
      'GET',
      `${workspace}/audiences/${audienceId}`,
    )
    if (audience.active_member_count === expected || tries === 240) return audience.active_member_count
    await sleep(500)
  }
}
