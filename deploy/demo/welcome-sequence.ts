import { setTimeout as sleep } from 'node:timers/promises'
import type { LauncherConfig } from '@lettergate/local/launcher/config'
import { isRunning } from '@lettergate/local/launcher/run-process'
import { planOf, startAgain } from '@lettergate/local/launcher/running'
import { eachOf } from './api.ts'
import { inboxOf } from './inbox.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Contacts of a killed worker are taken by another one after this time. Usually it is a minute. */
export const automationSettings = { AUTOMATION_LEASE_SECONDS: '10' }

/** Half of them have the tag that the decision asks for. */
const peopleCount = 20
const pauseSeconds = 5

interface Automation {
  id: string
  selected_version: { id: string; definition_checksum: string }
}
interface Enrollment {
  id: string
  state: string
  provider_calls: number
}
interface Step {
  node_key: string
  outcome: string | null
}
type Timeline = Enrollment & { steps: Step[] }

interface Sequence {
  contentId: string
  senderId: string
}

/** An email, a pause, a decision by tag, a second email for some, and a tag at the end. */
const definitionOf = (audienceId: string, { contentId, senderId }: Sequence, keen: string, done: string) => {
  const email = { content_version_id: contentId, sender_identity_id: senderId }
  const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
  return {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: 'welcome',
    nodes: [
      { key: 'welcome', type: 'send_email', config: email },
      { key: 'pause', type: 'wait_duration', config: { seconds: pauseSeconds } },
      { key: 'is-keen', type: 'decision', config: {} },
      { key: 'lesson', type: 'send_email', config: email },
      { key: 'mark', type: 'add_tag', config: { tag: done } },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      edge('welcome', 'pause'),
      edge('pause', 'is-keen'),
      { from: 'is-keen', to: 'lesson', branch: 'keen', condition: { tag: keen, operator: 'exists' } },
      edge('is-keen', 'mark'),
      edge('lesson', 'mark'),
      edge('mark', 'end'),
    ],
  }
}

/**
 * Publishes a welcome sequence, enrols people by subscribing them, and kills the worker of automations while they wait between
 * two steps. Each step must happen once.
 */
export async function welcomeSequence(scene: Scene, config: LauncherConfig, sequence: Sequence): Promise<ReportRow[]> {
  const { api, browser, workspace, atConsole, stack, round, print } = scene
  const [keen, done] = [`keen ${round}`, `welcomed ${round}`]
  for (const name of [keen, done]) await browser.ok('POST', `${atConsole}/tags`, { name })
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Course ${round}`,
    slug: `course-${round}`,
    purpose: 'Lessons about email',
  })
  const automation = await publish(scene, definitionOf(audience.id, sequence, keen, done))

  const people = Array.from({ length: peopleCount }, (_, index) => ({
    email: `course.${round}.${index}@people.example.com`,
    isKeen: index % 2 === 0,
  }))
  await eachOf(people, 8, async ({ email, isKeen }) => {
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email,
      source: 'demo',
      tags: isKeen ? [keen] : [],
    })
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: contact.id,
      source: 'demo',
      wording_version: '2026-01',
    })
  })
  const enrolled = await when(scene, automation.id, (all) => all.some(({ state }) => state === 'waiting'))
  print(`${peopleCount} people subscribed; ${enrolled.length} are in the sequence`)

  const worker = stack.processes.find(({ name, role }) => name === 'automations' && role === 'worker')!
  const { pid } = worker
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await sleep(20)
  const atKill = (await enrollmentsOf(scene, automation.id)).filter(({ state }) => state === 'waiting').length
  startAgain(config, stack, worker, planOf(config, stack, 'automations-worker'))
  print(
    `the worker (pid ${pid}) was killed while ${atKill} of ${peopleCount} people waited, and runs again as pid ${worker.pid}`,
  )

  const ended = await when(scene, automation.id, (all) => all.every(({ state }) => state === 'completed'))
  const timelines = await Promise.all(
    ended.map(
      async ({ id }) =>
        (await api.ok<{ enrollment: Timeline }>('GET', `${workspace}/automation-enrollments/${id}`)).enrollment,
    ),
  )
  const inboxes = await Promise.all(people.map(async ({ email }) => (await inboxOf(stack, email)).length))
  const times = (node: string) =>
    timelines.flatMap(({ steps }) => steps.filter((step) => step.node_key === node)).length
  const emails = (isKeen: boolean) => inboxes.filter((_, index) => people[index]!.isKeen === isKeen)
  const { tags } = await browser.ok<{ tags: { name: string; contact_count: number }[] }>('GET', `${atConsole}/tags`)
  const half = peopleCount / 2
  return [
    { name: 'people in the sequence', actual: ended.length, expected: peopleCount },
    { name: 'some people waited when the worker was killed', actual: atKill > 0, expected: true },
    {
      name: 'people who completed it',
      actual: ended.filter(({ state }) => state === 'completed').length,
      expected: peopleCount,
    },
    { name: 'first emails sent', actual: times('welcome'), expected: peopleCount },
    { name: 'decisions', actual: times('is-keen'), expected: peopleCount },
    { name: 'second emails sent, to the keen only', actual: times('lesson'), expected: half },
    {
      name: 'people with the tag of the end',
      actual: tags.find(({ name }) => name === done)?.contact_count,
      expected: peopleCount,
    },
    {
      name: 'keen people with two emails',
      actual: emails(true).filter((count) => count === 2).length,
      expected: half,
    },
    {
      name: 'other people with one email',
      actual: emails(false).filter((count) => count === 1).length,
      expected: half,
    },
  ]
}

async function publish({ api, browser, workspace, atConsole, round, print }: Scene, definition: object) {
  const { automation } = await api.ok<{ automation: Automation }>('POST', `${workspace}/automations`, {
    name: `Welcome ${round}`,
    slug: `welcome-${round}`,
    definition,
  })
  const { id: versionId, definition_checksum } = automation.selected_version
  await api.ok('POST', `${workspace}/automations/${automation.id}/ready-for-review`, {
    version_id: versionId,
    definition_checksum,
  })
  await browser.ok('POST', `${atConsole}/automations/${automation.id}/publish`)
  print('a sequence with a pause and a decision was created, marked as ready for review by its checksum, and published')
  return automation
}

/** The enrollments, once all people have one and the condition holds. Waits at most three minutes. */
async function when(
  scene: Scene,
  automationId: string,
  isReached: (all: readonly Enrollment[]) => boolean,
): Promise<Enrollment[]> {
  for (const end = Date.now() + 180_000; ; await sleep(100)) {
    const enrollments = await enrollmentsOf(scene, automationId)
    if ((enrollments.length === peopleCount && isReached(enrollments)) || Date.now() > end) return enrollments
  }
}

const enrollmentsOf = async ({ api, workspace }: Scene, automationId: string): Promise<Enrollment[]> =>
  (await api.ok<{ enrollments: Enrollment[] }>('GET', `${workspace}/automations/${automationId}/enrollments`))
    .enrollments
