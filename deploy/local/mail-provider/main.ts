import { announce } from '../announce.ts'
import { startDns } from '../dns/dns.ts'
import { loadConfig } from './config.ts'
import { startMailProvider } from './mail-provider.ts'

// One process for both, because the provider's domain checks and the DNS server use the same zones.
const { dnsPort, retryScale, stateFile, ...config } = loadConfig()
const dns = await startDns({ port: dnsPort, address: config.address })
const provider = await startMailProvider({
  ...config,
  dns,
  retryScale: Number(retryScale),
  stateFile: stateFile || undefined,
})
announce('mail-provider', { url: provider.url, dns: dns.address }, [dns, provider])
