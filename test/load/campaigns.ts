import { randomUUID } from 'node:crypto'
import { openApi, signInAs } from '@lettergate/demo/api'
import { workspace, type Bench } from './bench.ts'

/** 50 kB, as a newsletter is. */
export const html = `<html><body><p>Hello {{ first_name }}</p>${'<p style="color:#1f2937">A paragraph about things that got better this month.</p>'.repeat(640)}<a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>`

export type TagFilter = Partial<Record<'any' | 'all' | 'none', readonly string[]>>

/** What of a bench sends a campaign. */
export type Sending = Pick<Bench, 'api' | 'stack' | 'senderId'>

const contents = new WeakMap<Sending, Promise<string>>()

function contentOf(bench: Sending): Promise<string> {
  const known = contents.get(bench) ?? makeContent(bench)
  contents.set(bench, known)
  return known
}

async function makeContent({ api }: Sending): Promise<string> {
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

export interface Run {
  id: string
  included_count: number
  excluded_count: number
}

/** A draft of its own for these people, scheduled. Answers the run and how long the request to schedule took. */
export async function schedule(
  bench: Sending,
  wish: { audienceId: string; tagFilter?: TagFilter; inSeconds: number },
): Promise<{ run: Run; seconds: number }> {
  const draftId = await makeDraft(bench, wish)
  const began = performance.now()
  const { campaign_run: run } = await bench.api.ok<{ campaign_run: Run }>(
    'POST',
    `${workspace}/campaign-drafts/${draftId}/schedule`,
    { scheduled_for: new Date(Date.now() + wish.inSeconds * 1_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return { run, seconds: (performance.now() - began) / 1_000 }
}

async function makeDraft(
  bench: Sending,
  { audienceId, tagFilter }: { audienceId: string; tagFilter?: TagFilter },
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
