import { audienceOf } from '../audience.ts'
import type { Bench } from '../bench.ts'
import { schedule, type TagFilter } from '../campaigns.ts'
import { snapshotFloor } from '../floors.ts'
import { forgetMemoryPeaks, memoryPeaks } from '../memory.ts'
import { tagNames } from '../people.ts'
import type { Result } from '../result.ts'
import { countSpending } from '../spending.ts'

const services = ['campaigns-delivery', 'contacts-consent']
const daySeconds = 86_400

interface Picked {
  members: number
  /** how many of them fit the filter, and the same filter as a condition on the floor's `tags` */
  fitting: number
  tagFilter?: TagFilter
  where: string
  name: string
}

const whole = (members: number): Picked => ({
  members,
  fitting: members,
  where: 'true',
  name: `snapshot of ${members}`,
})

/** Audiences frozen by a request to schedule, with its conditions. What a person costs must not grow with the audience. */
export async function snapshot(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  const { members: only } = bench.options
  const sizes = only > 0 ? [only] : [10_000, 100_000, 1_000_000]
  for (const members of sizes) results.push(await measure(bench, whole(members)))
  return results
}

/** One in six, two in three and two in three of a million: everybody is looked at, and those who fit are kept. */
export async function snapshotByTags(bench: Bench): Promise<Result[]> {
  const members = 1_000_000
  const [second, third] = tagNames
  const filters = [
    {
      fitting: Math.floor(members / 2) + Math.floor(members / 3) - Math.floor(members / 6),
      tagFilter: { any: [second, third] },
      where: `tags && '{second,third}'`,
    },
    { fitting: Math.floor(members / 6), tagFilter: { all: [second, third] }, where: `tags @> '{second,third}'` },
    { fitting: members - Math.floor(members / 3), tagFilter: { none: [third] }, where: `not tags && '{third}'` },
  ]
  const results: Result[] = []
  for (const filter of filters) {
    const name = `snapshot of ${members}, tags ${Object.keys(filter.tagFilter)[0]}`
    results.push(await measure(bench, { members, ...filter, name }))
  }
  return results
}

async function measure(bench: Bench, picked: Picked): Promise<Result> {
  const { stack, floor, tell } = bench
  const { members, fitting, tagFilter, where, name } = picked
  const audienceId = await audienceOf(bench, members)
  tell(name)
  const floorSeconds = await snapshotFloor(floor.pool, { members, where, fitting })
  forgetMemoryPeaks(stack, services)
  const spending = countSpending(bench)
  const { run, seconds } = await spending.during(
    () => schedule(bench, { audienceId, ...(tagFilter ? { tagFilter } : {}), inSeconds: daySeconds }),
    () => members,
  )
  spending.tell(name, 'member')
  if (run.included_count !== fitting || run.excluded_count !== 0)
    throw new Error(
      `the snapshot has ${run.included_count} of ${fitting} recipients and leaves out ${run.excluded_count}`,
    )
  return {
    name,
    unit: 'members/s',
    ours: members / seconds,
    floor: members / floorSeconds,
    floorIs: 'cursor to unnest insert in one database',
    note: `answered in ${seconds.toFixed(1)} s; ${memoryPeaks(stack, services)}`,
  }
}
