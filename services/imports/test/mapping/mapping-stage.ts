import { newId } from '@lettergate/database'
import { openImports } from '../imports-stage.ts'

export type MappingStage = Awaited<ReturnType<typeof openMapping>>

export const evidence = {
  consent_basis: 'consent',
  consent_source: 'sign-up form',
  wording_version: '2026-01',
  evidence_reference: 'CRM-7',
}

/** imports with a live audience, a custom field, and uploads with chosen headers. */
export async function openMapping() {
  const s = await openImports()
  const slug = () => `a-${newId()}`
  const audience = async () => {
    const created = await s.contacts.createAudience(s.us, { name: 'News', slug: slug(), purpose: 'news' })
    return created.audience!.id
  }
  const live = await audience()
  await s.contacts.defineContactField(s.us, { fieldKey: 'plan', label: 'Plan', fieldType: 'text' })
  return {
    ...s,
    audience,
    /** Answers the id of an upload with these headers. */
    async uploaded(headers: readonly string[], audienceId = live): Promise<string> {
      const id = await s.stored([`${headers.join(',')}\n`])
      await s.stage.query('update imports.import_jobs set headers = $2, audience_id = $3 where id = $1', [
        id,
        JSON.stringify(headers),
        audienceId,
      ])
      return id
    },
    job: async (id: string) => (await s.stage.query('select * from imports.import_jobs where id = $1', [id]))[0]!,
  }
}
