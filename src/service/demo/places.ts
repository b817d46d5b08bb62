/** Where Aldermoor's people sign in from: offices, destinations of trips, and the attackers' locations. */

export interface Place {
  city: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  lat: number;
  lon: number;
  /** Hours ahead of UTC, without summer time. */
  zone: number;
}

const place = (city: string, country: string, lat: number, lon: number, zone: number): Place => ({
  city,
  country,
  lat,
  lon,
  zone,
});

/** An office with its IP address, and the country in its people's accounts. */
export const OFFICES: readonly { at: Place; ip: string; people: string; weight: number }[] = [
  {
    at: place('Hamburg', 'DE', 53.5511, 9.9937, 1),
    ip: '198.51.100.10',
    people: 'Germany',
    weight: 6,
  },
  {
    at: place('Leeds', 'GB', 53.8008, -1.5491, 0),
    ip: '198.51.100.18',
    people: 'United Kingdom',
    weight: 4,
  },
  { at: place('Osaka', 'JP', 34.6937, 135.5023, 9), ip: '198.51.100.26', people: 'Japan', weight: 2 },
  { at: place('Oslo', 'NO', 59.9139, 10.7522, 1), ip: '198.51.100.34', people: 'Norway', weight: 2 },
  { at: place('Gdańsk', 'PL', 54.352, 18.6466, 1), ip: '198.51.100.42', people: 'Poland', weight: 3 },
  { at: place('Piraeus', 'GR', 37.943, 23.6469, 2), ip: '198.51.100.50', people: 'Greece', weight: 1 },
  { at: place('Cork', 'IE', 51.8985, -8.4756, 0), ip: '198.51.100.58', people: 'Ireland', weight: 1 },
  { at: place('Lagos', 'NG', 6.5244, 3.3792, 1), ip: '198.51.100.66', people: 'Nigeria', weight: 1 },
  { at: place('Hai Phong', 'VN', 20.8449, 106.6881, 7), ip: '198.51.100.74', people: 'Viet Nam', weight: 1 },
  { at: place('Pune', 'IN', 18.5204, 73.8567, 5.5), ip: '198.51.100.82', people: 'India', weight: 1 },
];

export const TRIPS: readonly Place[] = [
  place('New York', 'US', 40.7128, -74.006, -5),
  place('Houston', 'US', 29.7604, -95.3698, -6),
  place('Los Angeles', 'US', 34.0522, -118.2437, -8),
  place('São Paulo', 'BR', -23.5505, -46.6333, -3),
  place('Lima', 'PE', -12.0464, -77.0428, -5),
  place('Mexico City', 'MX', 19.4326, -99.1332, -6),
  place('Dakar', 'SN', 14.7167, -17.4677, 0),
  place('Cairo', 'EG', 30.0444, 31.2357, 2),
  place('Johannesburg', 'ZA', -26.2041, 28.0473, 2),
  place('Dubai', 'AE', 25.2048, 55.2708, 4),
  place('Singapore', 'SG', 1.3521, 103.8198, 8),
  place('Jakarta', 'ID', -6.2088, 106.8456, 7),
  place('Sydney', 'AU', -33.8688, 151.2093, 10),
  place('Astana', 'KZ', 51.1694, 71.4491, 5),
  place('Reykjavík', 'IS', 64.1466, -21.9426, 0),
  place('Lisbon', 'PT', 38.7223, -9.1393, 0),
  place('Madrid', 'ES', 40.4168, -3.7038, 1),
  place('Milan', 'IT', 45.4642, 9.19, 1),
  place('Rotterdam', 'NL', 51.9244, 4.4777, 1),
];

/** Exits of the company's VPN, far from its users. */
export const VPN_EXITS: readonly { at: Place; ip: string }[] = [
  { at: place('Frankfurt am Main', 'DE', 50.1109, 8.6821, 1), ip: '198.51.100.130' },
  { at: place('Ashburn', 'US', 39.0438, -77.4874, -5), ip: '198.51.100.131' },
];

/** Rented servers that a password spray came from. */
export const SPRAY = {
  at: place('Chișinău', 'MD', 47.0105, 28.8638, 2),
  ips: ['203.0.113.140', '203.0.113.141', '203.0.113.142', '203.0.113.151', '203.0.113.152', '203.0.113.160'],
};

/** Where the compromised account was used, an hour after its owner signed in at the office. */
export const TAKEOVER = {
  at: place('Ulaanbaatar', 'MN', 47.8864, 106.9057, 8),
  ip: '203.0.113.77',
  victim: 'm.okafor@aldermoor.example',
};
