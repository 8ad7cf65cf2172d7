import { expect, test } from '@jest/globals'
import { subjectOf } from './audit-subject.ts'

const id = '0199a3c4-8cbf-71de-9c35-399444af2a2a'
const other = '0199a3c4-e600-7058-9829-bd7c244cc43a'
const entry = (action: string, subject_type: string, detail: Record<string, unknown> = {}, subject_id = id) => ({
  organization: 'acme',
  workspace: 'newsletter',
  action,
  subject_type,
  subject_id,
  detail,
})

test.each([
  [
    'a campaign by its id',
    entry('campaign_created', 'campaign'),
    ['Campaign', '0199a3c4…2a2a', '/w/acme/newsletter/campaigns/' + id],
  ],
  [
    'a deleted campaign by its name, without a link',
    entry('campaign_deleted', 'campaign', { name: 'Spring' }),
    ['Campaign', 'Spring', undefined],
  ],
  [
    'a source by its slug, which its page has in its address',
    entry('subscription_source_created', 'subscription_source', { slug: 'footer' }),
    ['Subscription source', 'footer', '/w/acme/newsletter/sources/footer'],
  ],
  [
    'a source without a slug, with the list of sources',
    entry('subscription_source_suspended', 'subscription_source'),
    ['Subscription source', '0199a3c4…2a2a', '/w/acme/newsletter/sources'],
  ],
  [
    'a suppression with its contact',
    entry('contact_suppressed', 'suppression', { contact_id: other }),
    ['Suppression', '0199a3c4…2a2a', '/w/acme/newsletter/contacts/' + other],
  ],
  [
    'a version of a template with its place in it',
    entry('content_version_created', 'content_version', { template_id: other, version: 3 }),
    ['Content version', 'version 3', `/w/acme/newsletter/templates/${other}?version=${id}`],
  ],
  [
    'the erasure of a contact, who has no page any more',
    entry('contact_erasure_requested', 'contact', { erasure_id: other }),
    ['Contact', '0199a3c4…2a2a', '/w/acme/newsletter/erasures/' + other],
  ],
  [
    'a tag by its old and new name',
    entry('tag_renamed', 'tag', { from: 'london', to: 'england' }),
    ['Tag', 'london → england', '/w/acme/newsletter/tags'],
  ],
  [
    'a gate by its words',
    { ...entry('gate_set', 'platform_gate', {}, 'automation_enabled'), organization: null, workspace: null },
    ['Platform gate', 'Automations', '/platform/gates'],
  ],
  [
    'a refused operation by its name',
    entry('request_refused', 'operation', {}, 'scheduleCampaign'),
    ['Operation', 'scheduleCampaign', undefined],
  ],
  [
    'a kind that is newer than this console by its id',
    entry('thing_lost', 'thing'),
    ['Thing', '0199a3c4…2a2a', undefined],
  ],
  [
    'an object of a workspace that the entry does not name, without a link',
    { ...entry('campaign_created', 'campaign'), organization: null, workspace: null },
    ['Campaign', '0199a3c4…2a2a', undefined],
  ],
])('names %s', (_, given, [kind, name, to]) => {
  expect(subjectOf(given)).toEqual({ kind, name, to })
})
