import { isSlug } from '@lettergate/values/slug'
import { z } from 'zod'
import { ReconstructionRefusal } from './refusal.ts'

export const manifestName = 'manifest.json'
export const manifestFormat = 'lettergate.legacy-export.v1'

const text = (max: number) => z.string().trim().min(1).max(max)
const slug = z
  .string()
  .max(160)
  .refine(isSlug, 'must be lower-case letters and digits in words joined by single hyphens')
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
const objectId = z.union([text(200), z.int().nonnegative()])

/** Segments of ordinary characters, so that a path means the same file everywhere and stays below the folder. */
const path = z
  .string()
  .max(400)
  .refine((value) => value.split('/').every((part) => /^[A-Za-z0-9_@+ -][A-Za-z0-9_.@+ -]*$/.test(part)), {
    message: 'must be a relative path below the folder, of letters, digits and _ . @ + - and spaces',
  })

const described = { object_id: objectId, name: text(160), slug: slug.optional(), description: text(500).optional() }

const email = z.strictObject({
  ...described,
  format: z.enum(['html', 'eml', 'mautic.email']),
  file: path,
  plain_text_file: path.optional(),
  subject: text(300).optional(),
  preheader: text(500).optional(),
  personalization_defaults: z.record(z.string(), z.string()).optional(),
  /** text of the legacy email → name of the token, such as "%FNAME%": "first_name" */
  tokens: z.record(text(200), z.string().regex(/^[a-z][a-z0-9_]*$/)).optional(),
})

const workflow = z.strictObject({
  ...described,
  format: z.enum(['lettergate.legacy-workflow.v1', 'mautic.campaign']),
  file: path,
})

const manifest = z.strictObject({
  format: z.literal(manifestFormat),
  source_system: slug,
  /** the commit of the repository with the program that made the export */
  source_repository_commit: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be a full commit id'),
  files: z.array(z.strictObject({ path, sha256 })).max(2_000),
  emails: z.array(email).max(1_000).default([]),
  workflows: z.array(workflow).max(1_000).default([]),
})

export type Manifest = z.infer<typeof manifest>
export type EmailEntry = Manifest['emails'][number]
export type WorkflowEntry = Manifest['workflows'][number]

/** Reads JSON of an export with a schema. Throws a ReconstructionRefusal that names every field that does not fit. */
export function parseJson<T>(schema: z.ZodType<T>, bytes: Uint8Array, name: string): T {
  let given: unknown
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), refuseUnusable)
  } catch (error) {
    throw new ReconstructionRefusal('export', `${name} is not usable JSON in UTF-8: ${(error as Error).message}`)
  }
  const read = safely(() => schema.safeParse(given), name)
  if (read.success) return read.data
  throw new ReconstructionRefusal(
    'export',
    `${name} does not have the documented format:\n${z.prettifyError(read.error)}`,
  )
}

/** A reviver that refuses texts and names that neither UTF-8 nor PostgreSQL can store. */
function refuseUnusable(key: string, value: unknown): unknown {
  for (const text of [key, value])
    if (typeof text === 'string' && (text.includes('\u0000') || !text.isWellFormed()))
      throw new Error(`${JSON.stringify(text.slice(0, 40))} contains a NUL character or half a character`)
  return value
}

/** Values that are nested thousands of levels deep exceed the stack. */
function safely<T>(work: () => T, name: string): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ReconstructionRefusal('export', `${name} is nested too deeply`)
  }
}

/** The manifest, with a slug for every object. Objects are distinct by their ids and by their slugs. */
export function parseManifest(bytes: Uint8Array): Manifest {
  const read = parseJson(manifest, bytes, manifestName)
  const paths = read.files.map((file) => file.path)
  const problems = [
    ...repeated(paths.map((value) => value.toLowerCase())).map((value) => `files lists ${value} twice`),
    ...(paths.includes(manifestName) ? [`files lists ${manifestName} itself`] : []),
    ...[...read.emails, ...read.workflows]
      .flatMap((entry) => [
        entry.file,
        ...('plain_text_file' in entry && entry.plain_text_file ? [entry.plain_text_file] : []),
      ])
      .filter((used) => !paths.includes(used))
      .map((used) => `${used} is used and not listed in files`),
    ...repeated(read.emails.map(({ object_id: id }) => String(id))).map((id) => `two emails have the object_id ${id}`),
    ...repeated(read.workflows.map(({ object_id: id }) => String(id))).map(
      (id) => `two workflows have the object_id ${id}`,
    ),
    ...repeated(read.emails.map((entry) => slugOf(read, 'email', entry))).map(
      (one) => `two emails have the slug ${one}`,
    ),
    ...repeated(read.workflows.map((entry) => slugOf(read, 'campaign', entry))).map(
      (one) => `two workflows have the slug ${one}`,
    ),
  ]
  if (problems.length > 0)
    throw new ReconstructionRefusal('export', `${manifestName} contradicts itself:\n  ${problems.join('\n  ')}`)
  return read
}

const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
]

/** The slug of the manifest, or one made from the system, the type and the id. It is the same at every run. */
export function slugOf(
  { source_system: system }: Pick<Manifest, 'source_system'>,
  type: 'email' | 'campaign',
  entry: Pick<EmailEntry, 'object_id' | 'slug'>,
): string {
  if (entry.slug !== undefined) return entry.slug
  const words = `${system}-${type}-${entry.object_id}`.toLowerCase().split(/[^a-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, 160)
    .replace(/-$/, '')
}
