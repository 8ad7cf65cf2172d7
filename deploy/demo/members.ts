import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './scene.ts'

/** How many the audience has now, once it is the number expected or two minutes have passed: some leave by events. */
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
