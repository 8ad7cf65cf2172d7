import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from './add-people.ts'
import { eachOf } from './api.ts'
import { unscheduleAndCancel } from './unschedule-and-cancel.ts'
import { setFaults } from './faults.ts'
import { inboxOf } from './inbox.ts'
import type { RunEvents } from './run-events.ts'
import { controlRun, readRun, scheduleRun, type Run } from './runs.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

export interface Invitation {
  senderId: string
  contentId: string
  newsletterAudienceId: string
  /** the tag of every reader below */
  tag: string
  readers: readonly Person[]
  /** readers who unsubscribed from the audience of the newsletter */
  gone: readonly Person[]
  /** people who may not receive the campaign, each for another reason */
  unmailable: readonly Person[]
}

const beginsInMs = 4_000

/** Sends one campaign to two audiences with one tag: one message for each person. The run is paused, one person is suppressed meanwhile, and it is resumed. */
export async function invite(
  scene: Scene,
  events: RunEvents,
  given: Invitation,
): Promise<{ rows: ReportRow[]; runId: string }> {
  const { print } = scene
  const staying = given.readers.filter((reader) => !given.gone.includes(reader))
  const inBoth = staying.slice(-5)
  const { audienceId, guests } = await makeAudience(scene, inBoth)
  await tagAll(scene, [...given.unmailable.map(({ id }) => id), ...guests.map(({ id }) => id)], given.tag)
  const controls = await unscheduleAndCancel(scene, events, await draft(scene, given, audienceId, 'Cancelled'))

  // The provider refuses messages until the pause, because on a busy machine the run may begin first.
  await setFaults(scene, { mode: 'rate_limit' })
  const run = await scheduleRun(scene, await draft(scene, given, audienceId, 'Invitation'), beginsInMs)
  const reasons = Object.entries(run.exclusion_counts).map(([reason, count]) => `${reason} ${count}`)
  print(`${run.included_count} invited, ${run.excluded_count} excluded: ${reasons.join(', ')}`)
  const { paused, done } = await interrupt(scene, run, staying[0]!)

  const invited = [...staying.map(({ normalizedEmail }) => normalizedEmail), ...guests.map(({ email }) => email)]
  const counts = await invitationsOf(scene, invited)
  const lifecycle = ['scheduled', 'paused', 'resumed', 'started', 'completed']
  const types = await events.ofRun(run.id, lifecycle)
  const isInOrder =
    types.toSorted().join() === lifecycle.toSorted().join() &&
    types[0] === 'scheduled' &&
    types.indexOf('paused') < types.indexOf('resumed') &&
    types.at(-1) === 'completed'
  const report = events.accepted.findLast(({ type }) => type === 'campaign_run.completed')?.data.report
  print(
    `the receiver got these signed events: ${types.join(', ')} with ${report?.['sent']} sent, ${report?.['skipped']} skipped`,
  )
  const peopleWith = (count: number) => counts.filter((found) => found === count).length
  return {
    runId: run.id,
    rows: [
      { name: 'included; five are in both audiences', actual: run.included_count, expected: invited.length },
      { name: 'excluded, each for another reason', actual: run.excluded_count, expected: given.unmailable.length },
      { name: 'handed off during the pause', actual: paused.sent_count, expected: 0 },
      { name: 'handed off afterwards', actual: done.sent_count, expected: invited.length - 1 },
      { name: 'people with one invitation', actual: peopleWith(1), expected: invited.length - 1 },
      { name: 'people without one: suppressed during the pause', actual: peopleWith(0), expected: 1 },
      ...controls,
      { name: 'events of the invitation, in order', actual: isInOrder, expected: true },
      { name: 'events refused for their signature', actual: events.refused, expected: 1 },
    ],
  }
}

async function draft({ browser, atConsole, round }: Scene, given: Invitation, audienceId: string, name: string) {
  const { campaign } = await browser.ok<{ campaign: { id: string } }>('POST', `${atConsole}/campaign-drafts`, {
    name: `${name} ${round}`,
    audience_ids: [given.newsletterAudienceId, audienceId],
    tag_filter: { any: [given.tag] },
    sender_identity_id: given.senderId,
    content_version_id: given.contentId,
  })
  return campaign.id
}

/** Pauses the run before it begins, waits until its time has passed, and resumes it. One person is suppressed in between. */
async function interrupt(scene: Scene, run: Run, suppressed: Person): Promise<{ paused: Run; done: Run }> {
  const pause = await controlRun(scene, run, 'pause')
  if (pause.status !== 200) throw new Error(`pausing the run answered ${pause.status}: ${pause.text}`)
  await setFaults(scene, { mode: 'none' })
  await scene.api.ok('POST', `${scene.workspace}/contacts/${suppressed.id}/suppress`, {
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

/** The number of invitations that each address received. */
async function invitationsOf({ stack }: Scene, emails: readonly string[]): Promise<number[]> {
  const counts: number[] = []
  await eachOf(emails, 8, async (email) => {
    const messages = await inboxOf(stack, email)
    counts.push(messages.filter(({ subject }) => subject.startsWith('An invitation for')).length)
  })
  return counts
}

const tagAll = ({ browser, atConsole }: Scene, contactIds: readonly string[], tag: string) =>
  eachOf(contactIds, 8, async (id) => {
    await browser.ok('POST', `${atConsole}/contacts/${id}/tags`, { tag })
  })

/** Makes a second audience: some members of the first one, and three new people, one of them with an address that is a formula. */
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
