import { readFile, stat } from 'node:fs/promises'
import { isUuid } from '@lettergate/values/uuid'
import { z } from 'zod'
import { ReconstructionRefusal } from './refusal.ts'
import { parseJson } from './manifest.ts'

const id = z
  .string()
  .refine(isUuid, 'must be a UUID')
  .transform((text) => text.toLowerCase())
const name = z.string().trim().min(1)

const audience = z.union([
  id.transform((audience_id) => ({ audience_id, consent: undefined })),
  z
    .strictObject({ audience_id: id, wording_version: name.max(500), source: name.max(500) })
    .transform(({ audience_id, ...consent }) => ({ audience_id, consent })),
])

const mappingSchema = z.strictObject({
  /** list or segment of the legacy system → audience; with the consent wording, automations may also add contacts to it */
  audiences: z.record(name, audience).default({}),
  /** sender of the legacy system, or `default` → sender identity */
  senders: z.record(name, id).default({}),
  /** tag of the legacy system → tag of the workspace */
  tags: z.record(name, name.max(100)).default({}),
  /** field of the legacy system → contact field, or `custom.<field_key>` */
  fields: z.record(name, z.string().regex(/^(?:[a-z_]+|custom\.[a-z][a-z0-9_]{0,99})$/)).default({}),
})

/** What names of the legacy system mean in the workspace: the decisions of the operator. Nothing else is assumed. */
export type LegacyMapping = z.output<typeof mappingSchema>

export const noMapping: LegacyMapping = { audiences: {}, senders: {}, tags: {}, fields: {} }

const bytesMax = 1024 * 1024

/** Reads the mapping file; without one nothing is mapped. */
export async function readMapping(path: string | undefined): Promise<LegacyMapping> {
  if (path === undefined) return noMapping
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : -1),
    () => -1,
  )
  if (size < 0) throw new ReconstructionRefusal('usage', `there is no file ${path}`)
  if (size > bytesMax) throw new ReconstructionRefusal('usage', `${path} has more than ${bytesMax} bytes`)
  return parseMapping(await readFile(path), path)
}

export const parseMapping = (bytes: Uint8Array, path: string): LegacyMapping =>
  parseJson(mappingSchema as unknown as z.ZodType<LegacyMapping>, bytes, path)

/** The value of a name, if the mapping itself has it: `constructor` is in no mapping. */
export const mapped = <T>(part: Readonly<Record<string, T>>, legacy: string): T | undefined =>
  Object.hasOwn(part, legacy) ? part[legacy] : undefined
