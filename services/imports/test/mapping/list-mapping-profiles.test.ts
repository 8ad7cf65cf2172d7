import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { builtInProfiles } from '../../src/mapping/built-in-profiles.ts'
import { profilesMax } from '../../src/mapping/mapping-profile.entity.ts'
import { openMapping, type MappingStage } from './mapping-stage.ts'

let s: MappingStage
beforeAll(async () => {
  s = await openMapping()
})
afterAll(() => s.close())

const listed = async (scope = s.us) => (await s.imports.listMappingProfiles(scope, {})).profiles
const saved = async () => (await listed()).filter(({ id }) => !builtInProfiles.some((profile) => profile.id === id))
const profileIdOf = async (name: string) => (await listed()).find((profile) => profile.name === name)!.id
const review = { consentPolicy: 'review_required', policy: {} }

test('every workspace has the built-in profiles, each with its checksum', async () => {
  const profiles = await listed()
  expect(profiles.map(({ name }) => name)).toEqual([
    'Lettergate contacts',
    'Mailchimp, subscribed',
    'Mailchimp, unsubscribed',
    'Mailchimp, cleaned',
    'Mailchimp, non-subscribed',
    'listmonk subscribers',
    'Ghost members',
    'Brevo contacts',
  ])
  for (const { mapping, policy, mappingChecksum } of profiles)
    expect(mappingChecksum).toBe(sha256Of({ mapping, policy }))
  expect(new Set(profiles.map(({ id }) => id)).size).toBe(profiles.length)
})

test('a saved profile is listed first, and only in its workspace', async () => {
  const jobId = await s.uploaded(['Email', 'Plan'])
  const mapping = { Email: 'email', Plan: 'custom.plan' }
  const policy = { default_status: 'pending', static_tags: ['crm'] }
  await s.imports.mapImport(s.us, { jobId, ...review, mapping, policy, saveProfileName: ' CRM export ' })
  expect((await listed())[0]).toMatchObject({
    name: 'CRM export',
    mapping,
    policy,
    mappingChecksum: sha256Of({ mapping, policy }),
  })
  expect((await listed(s.them)).map(({ name }) => name)).not.toContain('CRM export')
})

test('saving under the same name replaces the profile, which keeps its id', async () => {
  const jobId = await s.uploaded(['Email', 'Plan'])
  const save = (mapping: Record<string, string>) =>
    s.imports.mapImport(s.us, { jobId, ...review, mapping, saveProfileName: 'Shop' })
  await save({ Email: 'email' })
  const id = await profileIdOf('Shop')
  await save({ Email: 'email', Plan: 'company' })
  await save({ Email: 'email', Plan: 'company' })
  expect((await saved()).filter(({ name }) => name === 'Shop')).toMatchObject([
    { id, mapping: { Email: 'email', Plan: 'company' } },
  ])
})

test('a refused mapping saves no profile', async () => {
  const jobId = await s.uploaded(['Email'])
  const request = { jobId, ...review, mapping: { Email: 'company' }, saveProfileName: 'Wrong' }
  await expect(s.imports.mapImport(s.us, request)).rejects.toMatchObject({ reason: 'mapping' })
  expect((await saved()).map(({ name }) => name)).not.toContain('Wrong')
})

test('a profile maps a file without more words, in any case of its headers, and leaves out what the file does not have', async () => {
  const jobId = await s.uploaded(['EMAIL', 'name', 'Subscribed_to_emails', 'labels'])
  const { import: mapped } = await s.imports.mapImport(s.us, {
    jobId,
    consentPolicy: 'status_column',
    mapping: {},
    policy: {},
    profileId: await profileIdOf('Ghost members'),
  })
  expect(mapped).toMatchObject({
    mapping: { EMAIL: 'email', name: 'first_name', Subscribed_to_emails: 'status' },
    policy: { default_status: 'pending', status_values: { true: 'subscribed', false: 'unsubscribed' } },
  })
})

test('the request overrules its profile for single columns, targets and keys of the policy', async () => {
  const headers = ['email', 'Work email', 'name', 'status', 'attributes']
  const { import: mapped } = await s.imports.mapImport(s.us, {
    jobId: await s.uploaded(headers),
    ...review,
    mapping: { 'Work email': 'email', name: 'ignore', attributes: 'company' },
    policy: { default_status: 'pending' },
    profileId: (await profileIdOf('listmonk subscribers')).toUpperCase(),
  })
  expect(mapped).toMatchObject({
    mapping: { status: 'status', 'Work email': 'email', name: 'ignore', attributes: 'company' },
    policy: {
      default_status: 'pending',
      status_values: { enabled: 'pending', disabled: 'unsubscribed', blocklisted: 'suppressed' },
    },
  })
})

test('a profile of another workspace is unknown', async () => {
  const jobId = await s.uploaded(['Email'])
  await s.imports.mapImport(s.us, { jobId, ...review, mapping: { Email: 'email' }, saveProfileName: 'Ours' })
  const theirJob = await s.stored(undefined, s.them)
  const request = { jobId: theirJob, ...review, mapping: {}, profileId: await profileIdOf('Ours') }
  await expect(s.imports.mapImport(s.them, request)).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'profile_id',
  })
})

test('a profile of a field that is not defined any more is refused', async () => {
  await s.stage.query(
    `insert into imports.mapping_profiles (workspace_id, id, name, mapping, policy, mapping_checksum, updated_by)
     values ($1, gen_random_uuid(), 'Old', '{"Email": "email", "Shoe": "custom.shoe"}', '{}', 'x', 'tester')`,
    [s.workspaceId],
  )
  const request = {
    jobId: await s.uploaded(['Email', 'Shoe']),
    ...review,
    mapping: {},
    profileId: await profileIdOf('Old'),
  }
  await expect(s.imports.mapImport(s.us, request)).rejects.toMatchObject({ reason: 'mapping', message: /custom.shoe/ })
})

test('a profile that is too large for the list cannot be saved', async () => {
  const headers = ['Email', ...Array.from({ length: 100 }, (_, n) => `${'x'.repeat(300)}${n}`)]
  const mapping = Object.fromEntries(headers.map((header) => [header, header === 'Email' ? 'email' : 'ignore']))
  const request = { jobId: await s.uploaded(headers), ...review, mapping }
  await expect(s.imports.mapImport(s.us, { ...request, saveProfileName: 'Wide' })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'save_profile_name',
  })
  await s.imports.mapImport(s.us, request)
})

test('a workspace saves a limited number of profiles, and can replace one at the limit', async () => {
  await s.stage.query(
    `insert into imports.mapping_profiles (workspace_id, id, name, mapping, policy, mapping_checksum, updated_by)
     select $1, gen_random_uuid(), 'profile ' || n, '{"Email": "email"}', '{}', 'x', 'tester'
       from generate_series(1, $2 - (select count(*)::int from imports.mapping_profiles where workspace_id = $1)) n`,
    [s.workspaceId, profilesMax],
  )
  const save = async (saveProfileName: string) =>
    s.imports.mapImport(s.us, {
      jobId: await s.uploaded(['Email']),
      ...review,
      mapping: { Email: 'email' },
      saveProfileName,
    })
  await expect(save('One more')).rejects.toMatchObject({ code: 'failed_precondition', reason: 'mapping_profiles' })
  await save('profile 1')
  expect(await saved()).toHaveLength(profilesMax)
})
