/**
 * Countries, and cities by name, to locate sign-ins whose log names a city without coordinates: `name|country|latitude|longitude`,
 * degrees to two decimals. A name that exists in several countries needs its country.
 */
import { foldText } from '#shared/query/text.ts';

const LIST = `Abidjan|CI|5.36|-4.01;Abu Dhabi|AE|24.45|54.38;Abuja|NG|9.06|7.49;Accra|GH|5.60|-0.19;Addis Ababa|ET|9.01|38.75;
Adelaide|AU|-34.93|138.60;Algiers|DZ|36.75|3.06;Almaty|KZ|43.24|76.89;Amman|JO|31.95|35.93;Amsterdam|NL|52.37|4.90;
Ankara|TR|39.93|32.86;Antwerp|BE|51.22|4.40;Ashburn|US|39.04|-77.49;Athens|GR|37.98|23.73;Atlanta|US|33.75|-84.39;
Auckland|NZ|-36.85|174.76;Austin|US|30.27|-97.74;Baghdad|IQ|33.31|44.37;Baku|AZ|40.41|49.87;Baltimore|US|39.29|-76.61;
Bangalore|IN|12.97|77.59;Bengaluru|IN|12.97|77.59;Bangkok|TH|13.76|100.50;Barcelona|ES|41.39|2.17;Basel|CH|47.56|7.59;
Beijing|CN|39.90|116.41;Beirut|LB|33.89|35.50;Belfast|GB|54.60|-5.93;Belgrade|RS|44.79|20.45;Bellevue|US|47.61|-122.20;
Bergen|NO|60.39|5.32;Berlin|DE|52.52|13.41;Bern|CH|46.95|7.45;Bilbao|ES|43.26|-2.93;Birmingham|GB|52.49|-1.89;
Bogota|CO|4.71|-74.07;Boise|US|43.62|-116.20;Bologna|IT|44.49|11.34;Bordeaux|FR|44.84|-0.58;Boston|US|42.36|-71.06;
Boydton|US|36.67|-78.39;Bratislava|SK|48.15|17.11;Bremen|DE|53.08|8.80;Brisbane|AU|-27.47|153.03;Bristol|GB|51.45|-2.59;
Brussels|BE|50.85|4.35;Bucharest|RO|44.43|26.10;Budapest|HU|47.50|19.04;Buenos Aires|AR|-34.60|-58.38;Cairo|EG|30.04|31.24;
Calgary|CA|51.05|-114.07;Canberra|AU|-35.28|149.13;Cape Town|ZA|-33.92|18.42;Caracas|VE|10.49|-66.88;Cardiff|GB|51.48|-3.18;
Casablanca|MA|33.57|-7.59;Charlotte|US|35.23|-80.84;Chennai|IN|13.08|80.27;Chicago|US|41.88|-87.63;Chisinau|MD|47.01|28.86;
Cleveland|US|41.50|-81.69;Cluj-Napoca|RO|46.77|23.59;Cologne|DE|50.94|6.96;Colombo|LK|6.93|79.86;Columbus|US|39.96|-83.00;
Copenhagen|DK|55.68|12.57;Cork|IE|51.90|-8.48;Dakar|SN|14.72|-17.47;Dallas|US|32.78|-96.80;Damascus|SY|33.51|36.28;
Dar es Salaam|TZ|-6.79|39.21;Delhi|IN|28.66|77.23;New Delhi|IN|28.61|77.21;Denver|US|39.74|-104.99;Des Moines|US|41.59|-93.62;
Detroit|US|42.33|-83.05;Dhaka|BD|23.81|90.41;Doha|QA|25.29|51.53;Dortmund|DE|51.51|7.47;Dresden|DE|51.05|13.74;
Dubai|AE|25.20|55.27;Dublin|IE|53.35|-6.26;Durban|ZA|-29.86|31.02;Dusseldorf|DE|51.23|6.78;Düsseldorf|DE|51.23|6.78;
Edinburgh|GB|55.95|-3.19;Edmonton|CA|53.55|-113.49;Eindhoven|NL|51.44|5.48;Essen|DE|51.46|7.01;Florence|IT|43.77|11.26;
Frankfurt|DE|50.11|8.68;Frankfurt am Main|DE|50.11|8.68;Gdansk|PL|54.35|18.65;Geneva|CH|46.20|6.14;Genoa|IT|44.41|8.93;
Ghent|BE|51.05|3.72;Glasgow|GB|55.86|-4.25;Gothenburg|SE|57.71|11.97;Graz|AT|47.07|15.44;Guadalajara|MX|20.66|-103.35;
Guangzhou|CN|23.13|113.26;Guatemala City|GT|14.63|-90.51;Haifa|IL|32.79|34.99;Hamburg|DE|53.55|9.99;Hamilton|CA|43.26|-79.87;
Hangzhou|CN|30.27|120.16;Hanoi|VN|21.03|105.85;Hai Phong|VN|20.84|106.69;Hanover|DE|52.38|9.73;Harare|ZW|-17.83|31.05;
Havana|CU|23.11|-82.37;Helsinki|FI|60.17|24.94;Ho Chi Minh City|VN|10.82|106.63;Hong Kong|HK|22.32|114.17;Honolulu|US|21.31|-157.86;
Houston|US|29.76|-95.37;Hyderabad|IN|17.39|78.49;Indianapolis|US|39.77|-86.16;Islamabad|PK|33.68|73.05;Istanbul|TR|41.01|28.98;
Izmir|TR|38.42|27.14;Jakarta|ID|-6.21|106.85;Jeddah|SA|21.49|39.19;Jerusalem|IL|31.77|35.21;Johannesburg|ZA|-26.20|28.05;
Kampala|UG|0.35|32.58;Kansas City|US|39.10|-94.58;Karachi|PK|24.86|67.00;Kathmandu|NP|27.72|85.32;Kharkiv|UA|49.99|36.23;
Khartoum|SD|15.50|32.56;Kigali|RW|-1.94|30.06;Kobe|JP|34.69|135.20;Kolkata|IN|22.57|88.36;Krakow|PL|50.06|19.94;
Kuala Lumpur|MY|3.14|101.69;Kuwait City|KW|29.38|47.99;Kyiv|UA|50.45|30.52;Kiev|UA|50.45|30.52;Kyoto|JP|35.01|135.77;
Lagos|NG|6.52|3.38;Lahore|PK|31.55|74.34;Las Vegas|US|36.17|-115.14;Lausanne|CH|46.52|6.63;Leeds|GB|53.80|-1.55;
Leipzig|DE|51.34|12.37;Lille|FR|50.63|3.06;Lima|PE|-12.05|-77.04;Lisbon|PT|38.72|-9.14;Liverpool|GB|53.41|-2.98;
Ljubljana|SI|46.06|14.51;Lodz|PL|51.76|19.46;London|GB|51.51|-0.13;London|CA|42.98|-81.25;Los Angeles|US|34.05|-118.24;
Luanda|AO|-8.84|13.23;Lusaka|ZM|-15.39|28.32;Luxembourg|LU|49.61|6.13;Lviv|UA|49.84|24.03;Lyon|FR|45.76|4.84;
Madrid|ES|40.42|-3.70;Malaga|ES|36.72|-4.42;Malmo|SE|55.60|13.00;Manchester|GB|53.48|-2.24;Manila|PH|14.60|120.98;
Marseille|FR|43.30|5.37;Medellin|CO|6.24|-75.58;Melbourne|AU|-37.81|144.96;Mexico City|MX|19.43|-99.13;Miami|US|25.76|-80.19;
Milan|IT|45.46|9.19;Milwaukee|US|43.04|-87.91;Minneapolis|US|44.98|-93.27;Minsk|BY|53.90|27.57;Monterrey|MX|25.69|-100.32;
Montevideo|UY|-34.90|-56.16;Montreal|CA|45.50|-73.57;Moscow|RU|55.76|37.62;Mumbai|IN|19.08|72.88;Munich|DE|48.14|11.58;
Muscat|OM|23.59|58.41;Nagoya|JP|35.18|136.91;Nairobi|KE|-1.29|36.82;Nantes|FR|47.22|-1.55;Naples|IT|40.85|14.27;
Nashville|US|36.16|-86.78;New Orleans|US|29.95|-90.07;New York|US|40.71|-74.01;New York City|US|40.71|-74.01;Nice|FR|43.71|7.26;
Nicosia|CY|35.19|33.38;Novosibirsk|RU|55.01|82.94;Nuremberg|DE|49.45|11.08;Odesa|UA|46.48|30.73;Orlando|US|28.54|-81.38;
Osaka|JP|34.69|135.50;Oslo|NO|59.91|10.75;Ottawa|CA|45.42|-75.70;Oxford|GB|51.75|-1.26;Panama City|PA|8.98|-79.52;
Paris|FR|48.86|2.35;Perth|AU|-31.95|115.86;Philadelphia|US|39.95|-75.17;Phnom Penh|KH|11.56|104.92;Phoenix|US|33.45|-112.07;
Pittsburgh|US|40.44|-80.00;Piraeus|GR|37.94|23.65;Portland|US|45.52|-122.68;Porto|PT|41.16|-8.63;Poznan|PL|52.41|16.93;
Prague|CZ|50.08|14.44;Pretoria|ZA|-25.75|28.19;Pune|IN|18.52|73.86;Pyongyang|KP|39.04|125.76;Quebec|CA|46.81|-71.21;
Quincy|US|47.23|-119.85;Quito|EC|-0.18|-78.47;Rabat|MA|34.02|-6.84;Raleigh|US|35.78|-78.64;Redmond|US|47.67|-122.12;
Reykjavik|IS|64.15|-21.94;Richmond|US|37.54|-77.44;Riga|LV|56.95|24.11;Rio de Janeiro|BR|-22.91|-43.17;Riyadh|SA|24.71|46.68;
Rome|IT|41.90|12.50;Rotterdam|NL|51.92|4.48;Sacramento|US|38.58|-121.49;Saint Petersburg|RU|59.93|30.34;Salt Lake City|US|40.76|-111.89;
Salzburg|AT|47.81|13.06;San Antonio|US|29.42|-98.49;San Diego|US|32.72|-117.16;San Francisco|US|37.77|-122.42;San Jose|US|37.34|-121.89;
San Jose|CR|9.93|-84.08;Santiago|CL|-33.45|-70.67;Santo Domingo|DO|18.49|-69.93;Sao Paulo|BR|-23.55|-46.63;São Paulo|BR|-23.55|-46.63;
Sapporo|JP|43.06|141.35;Sarajevo|BA|43.86|18.41;Seattle|US|47.61|-122.33;Seoul|KR|37.57|126.98;Seville|ES|37.39|-5.98;
Shanghai|CN|31.23|121.47;Shenzhen|CN|22.54|114.06;Singapore|SG|1.35|103.82;Skopje|MK|42.00|21.43;Sofia|BG|42.70|23.32;
St. Louis|US|38.63|-90.20;Stockholm|SE|59.33|18.07;Strasbourg|FR|48.57|7.75;Stuttgart|DE|48.78|9.18;Sydney|AU|-33.87|151.21;
Taipei|TW|25.03|121.57;Tallinn|EE|59.44|24.75;Tampa|US|27.95|-82.46;Tashkent|UZ|41.30|69.24;Tbilisi|GE|41.72|44.83;
Tehran|IR|35.69|51.39;Tel Aviv|IL|32.09|34.78;The Hague|NL|52.08|4.30;Thessaloniki|GR|40.64|22.94;Tirana|AL|41.33|19.82;
Tokyo|JP|35.68|139.69;Toronto|CA|43.65|-79.38;Toulouse|FR|43.60|1.44;Tripoli|LY|32.89|13.19;Trondheim|NO|63.43|10.40;
Tunis|TN|36.81|10.18;Turin|IT|45.07|7.69;Ulaanbaatar|MN|47.89|106.91;Utrecht|NL|52.09|5.12;Valencia|ES|39.47|-0.38;
Valencia|VE|10.16|-68.00;Vancouver|CA|49.28|-123.12;Venice|IT|45.44|12.32;Vienna|AT|48.21|16.37;Vilnius|LT|54.69|25.28;
Vladivostok|RU|43.12|131.89;Warsaw|PL|52.23|21.01;Washington|US|38.91|-77.04;Wellington|NZ|-41.29|174.78;Winnipeg|CA|49.90|-97.14;
Wroclaw|PL|51.11|17.04;Wuhan|CN|30.59|114.31;Yerevan|AM|40.18|44.51;Zagreb|HR|45.81|15.98;Zurich|CH|47.38|8.54;Zürich|CH|47.38|8.54`;

export interface City {
  country: string;
  lat: number;
  lon: number;
}

const key = (name: string): string => foldText(name).normalize('NFD').replace(/\p{M}/gu, '').trim();

let cities: Map<string, City[]> | null = null;
function citiesByName(): Map<string, City[]> {
  if (cities) return cities;
  cities = new Map();
  for (const entry of LIST.split(';')) {
    const [name = '', country = '', lat = '', lon = ''] = entry.trim().split('|');
    const list = cities.get(key(name)) ?? [];
    // Two spellings of a city are equal without their accents.
    if (!list.some((city) => city.country === country))
      list.push({ country, lat: Number(lat), lon: Number(lon) });
    cities.set(key(name), list);
  }
  return cities;
}

/** Names that logs use beside those of CLDR. */
const OTHER_NAMES = {
  CI: ['Ivory Coast'],
  CZ: ['Czech Republic'],
  GB: ['Great Britain'],
  HK: ['Hong Kong'],
  KR: ['Korea, Republic of', 'Republic of Korea'],
  MM: ['Myanmar'],
  MO: ['Macao', 'Macau'],
  RU: ['Russian Federation'],
  TR: ['Turkey'],
  US: ['United States of America', 'USA'],
  VN: ['Viet Nam'],
};
/** Regions that are no country, and Georgia, which may be the state. */
const NO_COUNTRY = /^(?:EU|EZ|GE|QO|UN|X[AB]|ZZ)$/;

let codes: Map<string, string> | null = null;
function knownCodes(): Map<string, string> {
  if (codes) return codes;
  codes = new Map();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // UK is GB, and a former country its successor.
    const current = new Intl.Locale(`und-${code}`).region ?? code;
    codes.set(key(code), current);
    const name = current === code && !NO_COUNTRY.test(code) ? names.of(code) : undefined;
    if (name !== undefined) codes.set(key(name), code);
  }
  for (const [code, others] of Object.entries(OTHER_NAMES))
    for (const name of others) codes.set(key(name), code);
  return codes;
}

/** The two letters of a country, from these or from its English name, or null for any other text. */
export const countryCode = (text: string): string | null => knownCodes().get(key(text)) ?? null;

/** Null if unknown or ambiguous, as a city is never guessed. `country` has two letters. */
export function cityNamed(name: string, country: string | null): City | null {
  const cities = citiesByName().get(key(name)) ?? [];
  const code = country?.toUpperCase() ?? null;
  const fit = code === null ? cities : cities.filter((city) => city.country === code);
  return fit.length === 1 ? (fit[0] ?? null) : null;
}
