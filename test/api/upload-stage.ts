import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import { until } from '@lettergate/stage'
import { importsServices } from './imports-services.ts'

export const bytesMax = 1_000_000
export const path = `${newsletter}/imports/csv`
export const csv = (text: string, type = 'text/csv') => new Blob([text], { type })

export interface Uploaded {
  status: number
  reason: string | null
  text: string
  import?: Record<string, unknown>
}

export type UploadStage = Awaited<ReturnType<typeof uploadStage>>

/** The gateway with imports, an audience, and a limit of a million bytes. */
export async function uploadStage() {
  const gateway = await gatewayStage({ IMPORT_MAX_BYTES: String(bytesMax) }, importsServices)
  const audienceId = await audience(gateway)
  return {
    gateway,
    audienceId,
    upload: uploadTo(gateway, audienceId),
    counts: () => countsOf(gateway),
    /** Runs this, and waits until as many imports and chunks are there as before. */
    async keepsNothing<T>(work: () => Promise<T>): Promise<T> {
      // An earlier upload that was refused may still be removed.
      await until(async () => (await countsOf(gateway)).unfinished === 0, { what: 'earlier uploads to be removed' })
      const before = JSON.stringify(await countsOf(gateway))
      const result = await work()
      await until(async () => JSON.stringify(await countsOf(gateway)) === before, { what: 'nothing to be kept' })
      return result
    },
    close: () => gateway.close(),
  }
}

async function countsOf(gateway: GatewayStage) {
  const [found] = await gateway.stage.query<{ jobs: number; chunks: number; unfinished: number }>(
    `select (select count(*)::int from imports.import_jobs) as jobs, count(*)::int as chunks,
            count(*) filter (where not exists (select 1 from imports.import_jobs j where j.id = c.job_id))::int as unfinished
       from imports.import_chunks c`,
  )
  return found!
}

/** Uploads a form. A file is a Blob; null leaves a field out. */
const uploadTo =
  (gateway: GatewayStage, audienceId: string) =>
  async (
    fields: Record<string, string | Blob | null> = {},
    { as = 'editor' as string | null, at = path, headers = {} as Record<string, string> } = {},
  ): Promise<Uploaded> => {
    const form = new FormData()
    const all = {
      file: csv('email,name\nada@example.com,Ada\n'),
      audience_id: audienceId,
      source_label: 'CRM',
      ...fields,
    }
    for (const [name, value] of Object.entries(all)) {
      if (value instanceof Blob) form.append(name, value, 'people.csv')
      else if (value !== null) form.append(name, value)
    }
    const response = await fetch(`${gateway.baseUrl}${at}`, {
      method: 'POST',
      headers: { ...(as === null ? {} : { authorization: `Bearer wallet-session-dev-${as}` }), ...headers },
      body: form,
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      reason: response.headers.get('x-error-reason'),
      text,
      ...(isJson ? (JSON.parse(text) as { import: Record<string, unknown> }) : {}),
    }
  }
