import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import { changeMind } from './change-mind.ts'
import { setFaults } from './faults.ts'
import { inboxOf } from './inbox.ts'
import type { RunEvents } from './run-events.ts'
import { controlRun, readRun, scheduleRun, type Run } from './runs.ts'
import type { Scene } from './scene.ts'
import type { Row } from './table.ts'

export interface Invitation {
  senderId: string
  contentId: string
  letterAudienceId: string
  /** the tag that every reader below carries */
  tag: string
  readers: readonly Person[]
  /** readers who left the letter's audience */
  gone: readonly Person[]
  /** who may not be mailed, each for another reason */
  unmailable: readonly Person[]
}

const beginsInMs = 4_000

/** One campaign for two audiences and one tag: a message a person. It is paused, somebody says no meanwhile, and it goes on. */
export async function invite(
  scene: Scene,
  events: RunEvents,
  given: Invitation,
): Promise<{ rows: Row[]; runId: string }> {
  const { tell } = scene
  const staying = given.readers.filter((reader) => !given.gone.includes(reader))
  const inBoth = staying.slice(-5)
  const { audienceId, guests } = await makeAudience(scene, inBoth)
  await tagAll(scene, [...given.unmailable.map(({ id }) => id), ...guests.map(({ id }) => id)], given.tag)
  const controls = await changeMind(scene, events, await draft(scene, given, audienceId, 'Too early'))

  // Nothing may leave before the pause, also where this machine is so busy that the run begins first.
  await setFaults(scene, { mode: 'rate_limit' })
  const run = await scheduleRun(scene, await draft(scene, given, audienceId, 'Invitation'), beginsInMs)
  const reasons = Object.entries(run.exclusion_counts).map(([reason, count]) => `${reason} ${count}`)
  tell(`${run.included_count} invited, ${run.excluded_count} excluded: ${reasons.join(', ')}`)
  const { paused, done } = await interrupt(scene, run, staying[0]!)

  const invited = [...staying.map(({ normalizedEmail }) => normalizedEmail), ...guests.map(({ email }) => email)]
  const letters = await lettersOf(scene, invited)
  const life = ['scheduled', 'paused', 'resumed', 'started', 'completed']
  const told = await events.ofRun(run.id, life)
  const isInOrder =
    told.toSorted().join() === life.toSorted().join() &&
    told[0] === 'scheduled' &&
    told.indexOf('paused') < told.indexOf('resumed') &&
    told.at(-1) === 'completed'
  const report = events.taken.findLast(({ type }) => type === 'campaign_run.completed')?.data.report
  tell(
    `the receiver heard, each signed: ${told.join(', ')} with ${report?.['sent']} sent, ${report?.['skipped']} skipped`,
  )
  const withLetters = (count: number) => letters.filter((found) => found === count).length
  return {
    runId: run.id,
    rows: [
      { name: 'included, five of both audiences once', actual: run.included_count, expected: invited.length },
      { name: 'excluded, each for another reason', actual: run.excluded_count, expected: given.unmailable.length },
      { name: 'handed over during the pause', actual: paused.sent_count, expected: 0 },
      { name: 'handed over afterwards', actual: done.sent_count, expected: invited.length - 1 },
      { name: 'people with one invitation', actual: withLetters(1), expected: invited.length - 1 },
      { name: 'and none: a no during the pause', actual: withLetters(0), expected: 1 },
      ...controls,
      { name: 'events of the invitation, in order', actual: isInOrder, expected: true },
      { name: 'refused for their signature', actual: events.refused, expected: 1 },
    ],
  }
}

async function draft({ browser, atConsole, round }: Scene, given: Invitation, audienceId: string, name: string) {
  const { campaign } = await browser.ok<{ campaign: { id: string } }>('POST', `${atConsole}/campaign-drafts`, {
    name: `${name} ${round}`,
    audience_ids: [given.letterAudienceId, audienceId],
    tag_filter: { any: [given.tag] },
    sender_identity_id: given.senderId,
    content_version_id: given.contentId,
  })
  return campaign.id
}

/** Pauses the run before it begins, lets its time pass, and resumes it: nothing is handed over before, and a no in between counts. */
async function interrupt(scene: Scene, run: Run, whoSaysNo: Person): Promise<{ paused: Run; done: Run }> {
  const pause = await controlRun(scene, run, 'pause')
  if (pause.status !== 200) throw new Error(`pausing the run answered ${pause.status}: ${pause.text}`)
  await setFaults(scene, { mode: 'none' })
  await scene.api.ok('POST', `${scene.workspace}/contacts/${whoSaysNo.id}/suppress`, {
    scope: 'workspace',
    reason: 'manual',
    source: 'demo',
  })
  await sleep(Math.max(0, Date.parse(run.scheduled_for) + 500 - Date.now()))
  const paused = await readRun(scene, run)
  await controlRun(scene, run, 'resume')
  for (const end = Date.now() + 120_000; ; await sleep(200)) {
    const done = await readRun(scene, run)
    if (done.state === 'completed' || Date.now() > end) return { paused, done }
  }
}

/** How many invitations arrived for each of them. */
async function lettersOf({ stack }: Scene, emails: readonly string[]): Promise<number[]> {
  const counts: number[] = []
  await eachOf(emails, 8, async (email) => {
    const letters = await inboxOf(stack, email)
    counts.push(letters.filter(({ subject }) => subject.startsWith('An invitation for')).length)
  })
  return counts
}

const tagAll = ({ browser, atConsole }: Scene, contactIds: readonly string[], tag: string) =>
  eachOf(contactIds, 8, async (id) => {
    await browser.ok('POST', `${atConsole}/contacts/${id}/tags`, { tag })
  })

/** A second audience: some who are in the first one too, and three who are not, one with an address that is a formula. */
async function makeAudience({ api, workspace, round }: Scene, inBoth: readonly Person[]) {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Events ${round}`,
    slug: `events-${round}`,
    purpose: 'Invitations',
  })
  const guests: { id: string; email: string }[] = []
  for (const email of [
    `=1-1.r${round}@example.com`,
    `guest.2.r${round}@example.com`,
    `guest.3.r${round}@example.com`,
  ]) {
    const body = { email, source: 'fair' }
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, body)
    guests.push({ id: contact.id, email })
  }
  await eachOf([...inBoth, ...guests], 8, async ({ id }) => {
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: id,
      source: 'fair',
      wording_version: '2026-01',
    })
  })
  return { audienceId: audience.id, guests }
}
