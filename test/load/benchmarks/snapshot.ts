import { audienceOf } from '../audience.ts'
import type { Bench } from '../bench.ts'
import { schedule, type BenchTagFilter } from '../campaigns.ts'
import { snapshotFloor } from '../floors.ts'
import { resetMemoryPeaks, memoryPeaks } from '../memory.ts'
import { tagNames } from '../people.ts'
import type { Result } from '../result.ts'
import { countSpending } from '../spending.ts'

const services = ['campaigns-delivery', 'contacts-consent']
const daySeconds = 86_400

interface Picked {
  members: number
  /** the number of members that match the filter; `where` is the same filter as a condition on the floor's `tags` */
  fitting: number
  tagFilter?: BenchTagFilter
  where: string
  name: string
}

const whole = (members: number): Picked => ({
  members,
  fitting: members,
  where: 'true',
  name: `snapshot of ${members}`,
})

/** A request to schedule a campaign, which checks its conditions and stores the recipients. The cost of a contact must not grow with the audience. */
export async function snapshot(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  const { members: only } = bench.options
  const sizes = only > 0 ? [only] : [10_000, 100_000, 1_000_000]
  for (const members of sizes) results.push(await measure(bench, whole(members)))
  return results
}

/** Tag filters that match two in three, one in six and two in three of a million members. Every member is evaluated. */
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
  const { stack, floor, print } = bench
  const { members, fitting, tagFilter, where, name } = picked
  const audienceId = await audienceOf(bench, members)
  print(name)
  const floorSeconds = await snapshotFloor(floor.pool, { members, where, fitting })
  resetMemoryPeaks(stack, services)
  const spending = countSpending(bench)
  const { run, seconds } = await spending.during(
    () => schedule(bench, { audienceId, ...(tagFilter ? { tagFilter } : {}), inSeconds: daySeconds }),
    () => members,
  )
  spending.print(name, 'member')
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
