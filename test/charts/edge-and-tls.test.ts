import { expect, test } from '@jest/globals'
import { read, services } from '@lettergate/guard/tree'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { ICertificate, IHTTPRoute } from './custom-resources.ts'
import { withHelm, manifestsOf, template, type RenderedManifest } from './helm.ts'
import { deploymentsOf, topology } from './workloads.ts'

const find = <T>(manifests: readonly RenderedManifest[], kind: string, name: string): T =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name) as T

withHelm('the edge', () => {
  test('the HTTPRoute and the Ingress send /webhooks to webhook-intake, and everything else to the gateway', () => {
    const route = find<IHTTPRoute>(manifestsOf('production'), 'HTTPRoute', 'lettergate')
    expect(route.spec.hostnames).toEqual(['mail.example.com'])
    const routes = route.spec.rules.map(({ matches, backendRefs }) => [matches[0]!.path.value, backendRefs[0]!.name])
    const ingress = find<IIngress>(manifestsOf('plain text, Ingress, NATS with TLS'), 'Ingress', 'lettergate')
    const [rule] = ingress.spec!.rules!
    expect(rule!.host).toBe('lettergate.example.com')
    const paths = rule!.http!.paths.map(({ path, backend }) => [path, backend.service!.name])
    const expected = [
      ['/webhooks', 'lettergate-webhook-intake-http'],
      ['/', 'lettergate-gateway-http'],
    ]
    expect(routes).toEqual(expected)
    expect(paths).toEqual(expected)
    // the edge of the local stack does the same
    expect(read('deploy/local/edge/main.ts') + read('deploy/local/edge/edge.ts')).toContain('/webhooks')
  })

  test('without a parent and without an Ingress nothing is public', () => {
    for (const kind of ['HTTPRoute', 'Ingress'])
      expect(manifestsOf('default').filter((one) => one.kind === kind)).toEqual([])
  })
})

withHelm('mutual TLS', () => {
  test('is on by default: every service has a certificate with its name alone, for both sides of a connection', () => {
    const certificates = manifestsOf('default').filter(
      ({ kind }) => kind === 'Certificate',
    ) as unknown as ICertificate[]
    const ofServices = certificates.filter(({ spec }) => !spec.isCA)
    expect(ofServices.map(({ spec }) => spec.dnsNames!.join()).toSorted()).toEqual(services.toSorted())
    for (const { spec } of ofServices)
      expect(spec).toMatchObject({ usages: ['server auth', 'client auth'], issuerRef: { name: 'lettergate-services' } })
  })

  test('every process reads the certificate of its service, and no other', () => {
    for (const variant of ['default', 'minimal'])
      for (const { container, pod } of deploymentsOf(manifestsOf(variant))) {
        const service = container.name
        const secrets = pod.volumes!.flatMap(({ secret }) => secret?.secretName ?? [])
        const withTls = topology.services[service]!.schema !== undefined
        expect({ service, secrets }).toEqual({ service, secrets: withTls ? [`lettergate-${service}-tls`] : [] })
        expect(JSON.stringify(container.env)).toContain(
          withTls ? '/etc/lettergate/tls/tls.key' : 'ALLOW_PLAINTEXT_PEERS',
        )
      }
  })

  test('another issuer replaces the authority of the chart', () => {
    const manifests = template('lettergate', '--set=tls.issuerRef.name=corporate,tls.issuerRef.kind=ClusterIssuer')
    expect(manifests.filter(({ kind }) => kind === 'Issuer')).toEqual([])
    const { spec } = find<ICertificate>(manifests, 'Certificate', 'lettergate-imports')
    expect(spec.issuerRef).toEqual({ name: 'corporate', kind: 'ClusterIssuer' })
  })

  test('off means plain text that services accept knowingly, and probes by gRPC', () => {
    const deployments = deploymentsOf(manifestsOf('plain text, Ingress, NATS with TLS'))
    for (const { container, component } of deployments) {
      expect(container.env).toContainEqual({ name: 'ALLOW_PLAINTEXT_PEERS', value: 'true' })
      expect(JSON.stringify(container.env)).not.toContain('TLS_KEY_FILE')
      const answers = container.ports!.some(({ name }) => name === 'rpc')
      expect({ component, grpc: container.livenessProbe!.grpc }).toEqual({
        component,
        grpc: answers ? { port: 8082 } : undefined,
      })
      expect(container.env).toContainEqual({ name: 'NATS_CA_FILE', value: '/etc/lettergate/nats/ca.crt' })
    }
  })
})
