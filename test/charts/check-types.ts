import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@lettergate/guard/tree'
import { customResources } from './custom-resources.ts'
import type { RenderedManifest } from './helm.ts'

/** Versions of APIs that current clusters serve. The types of kubernetes-models have removed ones, too. */
export const servedVersions = ['v1', 'apps/v1', 'batch/v1', 'networking.k8s.io/v1', 'policy/v1', 'autoscaling/v2']

const models = join(root, 'node_modules/kubernetes-models')
const own = join(root, 'test/charts/custom-resources.ts')

/** The import of the type of a manifest, as text; undefined for a kind without one. */
function typeOf({ apiVersion, kind }: RenderedManifest, alias: string): string | undefined {
  const custom = customResources[`${apiVersion}/${kind}`]
  if (custom !== undefined) return `import type { ${custom} as ${alias} } from '${own}'`
  const path = join(models, apiVersion, `${kind}.js`)
  if (!servedVersions.includes(apiVersion) || !existsSync(path)) return undefined
  return `import type { I${kind} as ${alias} } from '${path}'`
}

/**
 * What TypeScript says about the manifests, one line for each error. A manifest must have every required field of its kind, with
 * the right types, and no field that its kind does not have.
 */
export function checkTypes(manifests: readonly RenderedManifest[]): string[] {
  const unknown: string[] = []
  const lines = [...new Set(manifests.map((one) => JSON.stringify(one)))].flatMap((text, index) => {
    const manifest = JSON.parse(text) as RenderedManifest
    const type = typeOf(manifest, `Type${index}`)
    if (type === undefined) {
      unknown.push(`${manifest.apiVersion}/${manifest.kind}: no schema, or not served by current clusters`)
      return []
    }
    return [`${type}; void (${text} satisfies Type${index}) // ${manifest.kind} ${manifest.metadata.name}`]
  })
  const folder = mkdtempSync(join(tmpdir(), 'lettergate-manifests-'))
  try {
    const file = join(folder, 'manifests.ts')
    writeFileSync(file, lines.join('\n'))
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--pretty',
      'false',
    ]
    const allowed = ['--allowImportingTsExtensions', '--types', '']
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, [...options, ...allowed, file], { cwd: folder, encoding: 'utf8' })
    const errors = stdout.split('\n').filter((line) => line.trim() !== '')
    return [...unknown, ...errors.map((error) => `${error}${about(error, lines)}`)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Which manifest an error is about. */
function about(error: string, lines: readonly string[]): string {
  const line = /\((\d+),\d+\)/.exec(error)?.[1]
  const comment = line === undefined ? undefined : /\/\/ (.*)$/.exec(lines[Number(line) - 1] ?? '')?.[1]
  return comment === undefined ? '' : ` [${comment}]`
}
