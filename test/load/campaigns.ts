import { randomUUID } from 'node:crypto'
import { openApi, signInAs } from '@lettergate/demo/api'
import { workspace, type Bench } from './bench.ts'

/** 50 kB, the size of a newsletter. */
export const html = `<html><body><p>Hello {{ first_name }}</p>${'<p style="color:#1f2937">A paragraph about things that got better this month.</p>'.repeat(640)}<a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>`

export type BenchTagFilter = Partial<Record<'any' | 'all' | 'none', readonly string[]>>

/** The part of a bench that is needed to send a campaign. */
export type BenchSender = Pick<Bench, 'api' | 'stack' | 'senderId'>

const contents = new WeakMap<BenchSender, Promise<string>>()

function contentOf(bench: BenchSender): Promise<string> {
  const known = contents.get(bench) ?? makeContent(bench)
  contents.set(bench, known)
  return known
}

async function makeContent({ api }: BenchSender): Promise<string> {
  const { email_template: template } = await api.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name: 'Bench', slug: 'bench' },
  )
  const { content_version: content } = await api.ok<{ content_version: { id: string } }>(
    'POST',
    `${workspace}/email-templates/${template.id}/versions`,
    { subject: 'Hello {{ first_name }}', html, personalization_defaults: { first_name: 'friend' } },
  )
  return content.id
}

export interface BenchRun {
  id: string
  included_count: number
  excluded_count: number
}

/** Schedules a new draft for these contacts. Returns the run and the duration of the request. */
export async function schedule(
  bench: BenchSender,
  options: { audienceId: string; tagFilter?: BenchTagFilter; inSeconds: number },
): Promise<{ run: BenchRun; seconds: number }> {
  const draftId = await makeDraft(bench, options)
  const began = performance.now()
  const { campaign_run: run } = await bench.api.ok<{ campaign_run: BenchRun }>(
    'POST',
    `${workspace}/campaign-drafts/${draftId}/schedule`,
    { scheduled_for: new Date(Date.now() + options.inSeconds * 1_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return { run, seconds: (performance.now() - began) / 1_000 }
}

async function makeDraft(
  bench: BenchSender,
  { audienceId, tagFilter }: { audienceId: string; tagFilter?: BenchTagFilter },
): Promise<string> {
  const { api, stack, senderId } = bench
  const common = { name: 'Bench', sender_identity_id: senderId, content_version_id: await contentOf(bench) }
  if (tagFilter === undefined) {
    const path = `${workspace}/campaign-drafts`
    const made = await api.ok<{ campaign: { id: string } }>('POST', path, { ...common, audience_id: audienceId })
    return made.campaign.id
  }
  // Only people at the console filter by tags.
  const console = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const path = `${workspace.replace('/api/v1', '/console/api')}/campaign-drafts`
  const body = { ...common, audience_ids: [audienceId], tag_filter: tagFilter }
  const made = await console.ok<{ campaign: { id: string } }>('POST', path, body)
  await console.close()
  return made.campaign.id
}
