import { Fault } from '@lettergate/fault'
import { containsNul } from './text.ts'

/** A JSON object, as protobuf reads and writes a Struct. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Where a reconstructed object comes from, in the names of the API. */
export interface SourceProvenance {
  [key: string]: Json
  source_system: string
  source_object_type: string
  source_object_id: string | number
  source_id: string
  source_repository_commit: string
  checksum_manifest_sha256: string
  protected_source_outside_git: true
  operator_review_required: true
  source_checksum: string
}

const sha256 = /^[0-9a-f]{64}$/
const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const isName = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '' && value.length <= 500
const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const required: Record<string, (value: unknown) => boolean> = {
  source_system: isName,
  source_object_id: (value) => isName(value) || Number.isSafeInteger(value),
  source_id: isName,
  source_repository_commit: matches(commit),
  checksum_manifest_sha256: matches(sha256),
  protected_source_outside_git: (value) => value === true,
  operator_review_required: (value) => value === true,
  source_checksum: matches(sha256),
}

const optional: Record<string, (value: unknown) => boolean> = {
  source_hashes: isObject,
  transformation: (value) => isObject(value) || isName(value),
  workflow_graph_sha256: matches(sha256),
}

const charsMax = 65_536

/**
 * Reads the provenance of an object of this type. `source_checksum` is required, because a repeat is recognised by it. Throws
 * Fault `invalid_argument` with reason `source_provenance` that names the first wrong field.
 */
export function parseSourceProvenance(given: unknown, type: string): SourceProvenance {
  const fields: Record<string, unknown> = isObject(given) ? { ...(given as object) } : {}
  for (const [name, fits] of Object.entries(required)) {
    if (!fits(fields[name])) throw wrong(`source_provenance.${name} is missing or wrong.`)
  }
  if (fields['source_object_type'] !== type) throw wrong(`source_provenance.source_object_type must be ${type}.`)
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(required, name) || name === 'source_object_type') continue
    if (!Object.hasOwn(optional, name) || !optional[name]!(value))
      throw wrong(`source_provenance.${name} is unknown or wrong.`)
  }
  if (JSON.stringify(fields).length > charsMax) throw wrong(`source_provenance is longer than ${charsMax} characters.`)
  if (containsNul(fields)) throw wrong('source_provenance contains a NUL character. Remove it.')
  return fields as SourceProvenance
}

const wrong = (message: string) => new Fault('invalid_argument', 'source_provenance', message)
