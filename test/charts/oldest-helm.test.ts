import { expect, test } from '@jest/globals'
import { oldestHelm, runHelm, runWith, variants, withHelm } from './helm.ts'

/** The oldest Helm that the charts support renders what the newer one does. */

const renderings: [string, string[]][] = [
  ...Object.entries(variants).map(([name, options]): [string, string[]] => [name, ['charts/lettergate', ...options]]),
  ['single', ['charts/lettergate', '--values=charts/lettergate/values-single.yaml']],
  ['kind', ['charts/lettergate', '--values=deploy/kind/values.yaml']],
  ['database', ['charts/lettergate-database']],
]

withHelm('the oldest Helm', () => {
  test('is 3.6', () => {
    expect(runWith(oldestHelm, ['version', '--short']).output).toMatch(/^v3\.6\./)
  })

  test.each(renderings)('renders the same manifests: %s', (_name, options) => {
    const args = ['template', 'lettergate', ...options, '--namespace=mail', '--kube-version=1.33.0']
    const oldest = runWith(oldestHelm, args)
    expect(oldest.errors).toBe('')
    expect(oldest.output).toBe(runHelm(...args).output)
  })
})
