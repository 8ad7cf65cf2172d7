import { BlockList, isIP } from 'node:net'

/** IPv4 addresses that are not public (IANA special-purpose registry), multicast and above. */
const notPublic4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Ranges within global unicast that are not public: protocol assignments with Teredo, documentation, and 6to4, which
 * contains an IPv4 address.
 */
const notPublic6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const blocked4 = new BlockList()
for (const [network, bits] of notPublic4) blocked4.addSubnet(network, bits, 'ipv4')
const blocked6 = new BlockList()
for (const [network, bits] of notPublic6) blocked6.addSubnet(network, bits, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an address is on the public internet. All IPv6 addresses outside of global unicast are refused, such as v4-mapped,
 * NAT64, unique-local, link-local and multicast addresses. A text that is not an address is refused too.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && globalUnicast.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
    default:
      return false
  }
}
