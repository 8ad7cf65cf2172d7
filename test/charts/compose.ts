import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { read } from '@lettergate/guard/tree'

export interface ComposeService {
  image: string
  command?: string[]
  entrypoint?: string[]
  build?: { context: string; target: string; args: { SERVICE: string } }
  restart: string
  environment?: Record<string, string>
  env_file?: string | (string | { path: string; required: boolean })[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  networks?: string[]
  network_mode?: string
  ports?: string[]
  volumes?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
}

export interface Compose {
  services: Record<string, ComposeService>
  networks?: Record<string, { internal?: boolean }>
  volumes?: Record<string, object>
}

/** A file of deploy/compose, with its merged anchors. */
export const composeFile = (name: string): Compose =>
  load(read(`deploy/compose/${name}`), { schema: CORE_SCHEMA.withTags(mergeTag) }) as unknown as Compose

/** A text in which variables are replaced as docker compose does it; throws for a required one that is not set. */
export const replaced = (text: string, variables: Record<string, string>): string =>
  text
    .replaceAll(/(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind = '', rest = '') => {
      const value = variables[name] ?? ''
      if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`)
      return value === '' && kind === '-' ? rest : value
    })
    .replaceAll('$$', '$')

/** The variables of a file with lines `NAME=value`. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value!.replace(/^'(.*)'$/, '$1')]),
  )
