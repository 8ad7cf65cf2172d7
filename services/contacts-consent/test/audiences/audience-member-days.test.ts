import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const stored = (audienceId: string) =>
  s.stage.query<{ age: number; members: number }>(
    `select (now() at time zone 'utc')::date - day as age, members from contacts.audience_member_days
      where audience_id = $1 order by day`,
    [audienceId],
  )

/** A new process stores the members when it starts. */
const storedBy = async (audienceId: string, members: number) => {
  const another = await s.boot()
  await until(async () => (await stored(audienceId)).at(-1)?.members === members)
  await another.stop()
}

const storeDay = (audienceId: string, age: number, members: number) =>
  s.stage.query(
    `insert into contacts.audience_member_days (workspace_id, audience_id, day, members)
     select workspace_id, id, (now() at time zone 'utc')::date - $2::integer, $3 from contacts.audiences where id = $1`,
    [audienceId, age, members],
  )

test('the members of each day are stored, the last value of a day stays, and the days of a year are listed before now', async () => {
  const audienceId = await s.audience()
  const [ada, bob] = [await s.contact(), await s.contact()]
  await s.subscribe(ada, audienceId)
  await storedBy(audienceId, 1)
  await s.subscribe(bob, audienceId)
  await storedBy(audienceId, 2)
  for (const [age, members] of [
    [1, 7],
    [3, 4],
    [364, 9],
    [365, 8],
  ] as const)
    await storeDay(audienceId, age, members)
  await s.contacts.deleteContact(s.us, { contactId: ada })

  const { days } = await s.contacts.listAudienceMemberDays(s.us, { audienceId })
  expect(days.map(({ activeMemberCount }) => activeMemberCount)).toEqual([9, 4, 7, 1])
  expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted())
  const [today] = await s.stage.query<{ day: string }>(`select (now() at time zone 'utc')::date::text as day`)
  expect(days.at(-1)!.day).toBe(today!.day)
})

test('days older than 400 days are deleted, and nothing is stored for an archived audience', async () => {
  const [open, archived] = [await s.audience(), await s.audience()]
  await s.subscribe(await s.contact(), open)
  await storeDay(open, 400, 1)
  await storeDay(open, 401, 1)
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  const another = await s.boot()
  await until(async () => (await stored(open)).map(({ age }) => age).join() === '400,0')
  await another.stop()
  expect(await stored(archived)).toEqual([])
})

test('an unknown audience and one of another tenant do not exist', async () => {
  const theirs = await s.audience(s.them)
  for (const audienceId of [unknownId, 'x', theirs])
    await expect(s.contacts.listAudienceMemberDays(s.us, { audienceId })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'audience',
    })
})
