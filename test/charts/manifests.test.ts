import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '@lettergate/guard/tree'
import { checkTypes } from './check-types.ts'
import { withHelm, lint, manifestsOf, runHelm, template, variants, type RenderedManifest } from './helm.ts'

withHelm('the charts', () => {
  test.each(Object.keys(variants))('lettergate passes the strict lint with the values %s', (variant) => {
    const { ok, output, errors } = lint('lettergate', ...variants[variant]!)
    expect({ ok, errors, said: ok ? '' : output }).toEqual({ ok: true, errors: '', said: '' })
  })

  test('every manifest has the fields of its kind and no others', () => {
    const manifests = Object.keys(variants).flatMap(manifestsOf)
    expect(manifests.length).toBeGreaterThan(200)
    expect(checkTypes(manifests)).toEqual([])
  })

  test('the check of manifests finds unknown fields, wrong types, missing fields and removed APIs', () => {
    const metadata = { name: 'x' }
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata }
    const wrong = [
      { ...account, automountServiceAccountTokens: false },
      { ...account, automountServiceAccountToken: 'false' },
      { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: { triggers: [] } },
      { apiVersion: 'autoscaling/v2beta1', kind: 'HorizontalPodAutoscaler', metadata },
    ] as RenderedManifest[]
    const errors = checkTypes(wrong).join('\n')
    expect(errors).toContain('automountServiceAccountTokens"\' does not exist')
    expect(errors).toContain("Type 'string' is not assignable to type 'boolean")
    expect(errors).toContain("'scaleTargetRef' is missing")
    expect(errors).toContain('autoscaling/v2beta1/HorizontalPodAutoscaler: no schema')
    expect(checkTypes([account as RenderedManifest])).toEqual([])
  })

  test('names are unique, and everything is in the namespace of the release', () => {
    for (const variant of Object.keys(variants)) {
      const names = manifestsOf(variant).map(({ kind, metadata }) => `${kind}/${metadata.name}`)
      expect({ variant, twice: names.filter((name, index) => names.indexOf(name) !== index) }).toEqual({
        variant,
        twice: [],
      })
      expect(new Set(manifestsOf(variant).map(({ metadata }) => metadata.namespace))).toEqual(new Set(['mail']))
    }
  })

  test.each([
    ['an unknown value', '--set=ceiling.productionSending=true', 'ceiling'],
    ['an unknown variable of a service', '--set=services.imports.config.IMPORT_MAX_ROW=5', 'services.imports.config'],
    ['a variable that the chart sets', '--set=services.imports.config.RPC_PORT=1', 'services.imports.config'],
    ['an origin that is no URL', '--set=baseUrl=mail.example.com', 'baseUrl'],
    ['an unknown mode of TLS', '--set=tls.mode=none', 'mode'],
    ['a time to stop that ends hand-offs', '--set=terminationGracePeriodSeconds=20', 'terminationGracePeriodSeconds'],
  ])('%s is refused before anything is installed', (_, option, named) => {
    expect(() => template('lettergate', option)).toThrow(named)
  })

  test('the notes say which gates are closed, and what is open', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lettergate-notes-'))
    try {
      // Helm renders notes only for a cluster, so a copy of the chart has them as a manifest.
      cpSync(join(root, 'charts/lettergate'), folder, { recursive: true, dereference: true })
      const manifest = '{{ include (print .Template.BasePath "/NOTES.txt") . | quote }}'
      writeFileSync(
        join(folder, 'templates/notes.yaml'),
        `{ apiVersion: v1, kind: ConfigMap, metadata: { name: notes }, data: { notes: ${manifest} } }`,
      )
      const notesOf = (...options: string[]) => {
        const { output, errors } = runHelm('template', 'x', folder, '--kube-version=1.33.0', ...options)
        expect(errors).toBe('')
        return output
      }
      const closed = notesOf()
      for (const gate of ['production sending  ', 'test sends  ', 'synthetic rehearsals'])
        expect(closed).toMatch(new RegExp(`${gate} +ceiling closed`))
      expect(closed).toContain('Nothing can send now.')
      expect(closed).not.toContain('plain text')
      const open = notesOf('--set=ceilings.productionSending=true,tls.mode=off', '--is-upgrade')
      expect(open).toMatch(/production sending +ceiling OPEN/)
      expect(open).toContain('plain text')
      expect(open).not.toContain('Nothing can send now.')
      const single = notesOf('--set=single.enabled=true,tls.mode=off')
      expect(single).toContain('Nothing can send now.')
      expect(single).not.toContain('plain text')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
