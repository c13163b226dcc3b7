"""Sentence skeletons of pages that are made from a form, and what is filled in: data for `forms`.

`{n}` is a number to 99, `{k}` one to 9999; each other name is drawn from its list, anew at every place.
"""

from __future__ import annotations

ENGLISH = {
    "parameters": (
        "{maker} {model}{k} {thing}. Introduced by {maker} in {town}, the model {model}{k} is {trait} and {trait}. "
        "Housing: {stuff}, {colour}. Weight: {n}.{n} kg. Length {k} mm, width {k} mm, height {k} mm. Power: {n} W at "
        "{n} V. Range: {k} m. Service life: {k} hours. Operating temperature from {n} to {n} degrees. Connections: "
        "{port}, {port} and {port}. Supplied with {extra} and {extra}. Warranty: {n} months. {verdict}. {advice}. "
        "Made in {town} of {stuff} and {stuff}. Order number {model}-{k}-{k}. {verdict}."
    ),
    "weather": (
        "Weather in {town} on {day}. {sky} in the morning, {sky} after noon, {sky} at night. High {n}, low {n} "
        "degrees, felt like {n}. Wind {side} at {n} km/h, gusts of {n} km/h near {town}. Humidity {n} per cent, "
        "pressure {k} hPa. Chance of rain {n} per cent. Sunrise {n}:{n}, sunset {n}:{n}. {wish}. The warmest place was "
        "{town} with {n} degrees, the coldest {town} with {n}. On {day} expect {sky} and wind from {side}; on {day} "
        "{sky}. {wish}. Pollen: {plant} and {plant}. Report by {name}, {town} station, {n}:{n}."
    ),
    "match": (
        "{town} {n}, {town} {n}. {day}'s match before {k} spectators in {town} was {trait}. {name} scored after {n} "
        "minutes with {shot}, {name} made it two in minute {n} with {shot}. After the break {name} and {name} came on, "
        'and {name} {deed}. Coach {name} said: "{said}." Shots: {n} to {n}. Corners: {n} to {n}. Possession {n} per '
        "cent. Yellow cards for {name}, {name} and {name}. Referee: {name} of {town}. {name} {deed} in minute {n}. "
        'Next on {day} they play {town}, who lost {n} to {n} against {town}. "{said}", {name} said.'
    ),
    "product": (
        "{colour} {thing} by {maker}, now {k}.{n}. This {trait} {thing} of {stuff} is {trait}. {verdict}. Article "
        "{k}-{k}. Colours: {colour}, {colour}, {colour}. Size {n} by {n} by {n} cm. Material: {n} per cent {stuff}, "
        "{n} per cent {stuff}. Delivered in {n} days from {town} for {n}.{n}. Rated {n} by {k} buyers. {name} from "
        '{town} wrote: "{verdict}." {name} wrote: "{verdict}." {advice}. In the box: {extra}, {extra}. '
        "Others bought: {colour} {thing} by {maker}, {colour} {thing} by {maker}. In stock: {n}."
    ),
}

CHINESE = {
    "parameters": (
        "{maker}{model}{k}{thing}参数。产地{town}，型号{model}{k}，{trait}。外壳{stuff}，{colour}。净重{n}公斤，"
        "长{k}毫米，宽{k}毫米。功率{n}瓦。续航{k}小时。接口：{port}、{port}。{verdict}。附带{extra}、{extra}。"
        "质保{n}个月。{advice}。{maker}客服{name}，电话{k}-{k}。{verdict}。"
    ),
    "weather": (
        "{town}{day}天气：白天{sky}，夜间{sky}。最高{n}度，最低{n}度。{side}风{n}级，阵风{n}级。湿度{n}%，气压{k}百帕。"
        "日出{n}:{n}，日落{n}:{n}。{wish}。最热的是{town}，{n}度；最冷的是{town}，{n}度。{day}{sky}转{sky}，{side}风。"
        "花粉：{plant}、{plant}。{wish}。{town}气象台{name}。"
    ),
    "match": (
        "{town}{n}比{n}{town}。{day}，{k}名观众在{town}看了一场{trait}的比赛。第{n}分钟{name}{shot}得分，第{n}分钟{name}"
        "{shot}扩大比分。下半场{name}、{name}上场，{name}{deed}。主教练{name}说：“{said}。”射门{n}比{n}，角球{n}比{n}。"
        "黄牌：{name}、{name}。裁判{name}。{day}对{town}。“{said}。”{name}说。"
    ),
    "product": (
        "{maker}{colour}{thing}，现价{k}元。{stuff}制成，{trait}，{trait}。{verdict}。货号{k}-{k}。颜色：{colour}、{colour}。"
        "尺寸{n}乘{n}厘米。{town}发货，{n}天到，运费{n}元。{k}人评价，{n}分。{name}：“{verdict}。”{name}：“{verdict}。”"
        "{advice}。内含{extra}、{extra}。看了又看：{colour}{thing}、{colour}{thing}。"
    ),
}

ENGLISH_VALUES = {
    "maker": "Halden|Brixo|Numa Works|Tarrow and Sons|Oskari|Velle|Piedmont Tools|Kestrel",
    "model": "TX|AR|LM|QZ|BV|HN|SK|DP",
    "thing": "rucksack|desk lamp|water pump|hand drill|tent|kettle|wall clock|bicycle light|camera|stool",
    "town": "Malmo|Trieste|Galway|Porto|Utrecht|Leipzig|Tampere|Cork|Girona|Bergen|Lublin|Nantes",
    "trait": "light for its size|hard to break|quiet at any speed|meant for beginners|slow but thorough"
    "|easily taken apart|better than last year|a matter of taste",
    "stuff": "oiled oak|brushed aluminium|recycled nylon|waxed cotton|cast iron|bamboo|borosilicate glass|felt",
    "colour": "moss green|charcoal|ivory|brick red|navy|mustard|pale pink|copper",
    "port": "USB-C|a 12 volt socket|Bluetooth|an audio jack|HDMI|a hose of half an inch|Ethernet|two clamps",
    "extra": "a spare battery|three filters|a carrying case|an Allen key|a cleaning brush|wall plugs|a strap|a lid",
    "verdict": "I would buy it again tomorrow|Mine leaked within a week|My mother loves hers|Good value, poor manual"
    "|Nothing rattles even on cobbles|Sturdy, though heavier than promised|Fits under any aircraft seat"
    "|Arrived scratched but was replaced at once",
    "advice": "Keep away from children under three|Wash by hand only|Tighten all screws once a year"
    "|Do not use near open fire|Charge fully before first use|Descale with vinegar every month",
    "day": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "sky": "Fog lifting slowly|Bright sun|Drizzle from the coast|Scattered thunder|Snow above 800 metres"
    "|Broken cloud|Hail in places|A veil of high cirrus",
    "side": "north|south-west|east|west|north-east|south|south-east|north-west",
    "wish": "Cyclists should mind black ice|Take an umbrella to the market|A fine evening for the terrace"
    "|Gardeners may cover their seedlings|Ferries could be delayed|Drivers meet glare on the ring road",
    "plant": "birch|hazel|mugwort|ragweed|alder|rye|ash|plantain",
    "name": "Novak|Lindqvist|O'Hara|Sorensen|Matteo Ricci|Dubois|Achterberg|Kowalska|Yilmaz|Pereira|Fenwick|Ilves",
    "shot": "a header from the near post|a low drive through three pairs of legs|a penalty off the bar"
    "|a free kick nobody touched|a volley out of the air|a tap-in on the rebound",
    "deed": "hobbled off holding a knee|cleared twice on the line|was sent off for a late tackle"
    "|missed an empty goal|changed the game|saved what seemed lost",
    "said": "We slept through the first half|Nobody ran more than this side|I have seen luckier evenings"
    "|Points are points|The pitch was a swamp|Ask me again in May",
}

CHINESE_VALUES = {
    "maker": "海鸥|远山|小熊电器|北辰|凯达|木禾|蓝舟|九峰",
    "model": "TX|AR|LM|QZ|BV|HN|SK|DP",
    "thing": "双肩包|护眼台灯|潜水泵|手电钻|帐篷|烧水壶|挂钟|骑行车灯|相机|折叠凳",
    "town": "青岛|宁波|绵阳|佛山|兰州|大理|襄阳|延吉|赣州|包头|泉州|遵义",
    "trait": "轻便耐摔|噪音极低|适合新手|拆洗方便|比去年扎实|见仁见智|慢工出细活|势均力敌",
    "stuff": "上油橡木|拉丝铝合金|再生尼龙|打蜡棉布|铸铁|竹纤维|高硼硅玻璃|羊毛毡",
    "colour": "苔绿色|炭灰|象牙白|砖红|藏青|芥末黄|浅粉|古铜",
    "port": "蓝牙|十二伏插座|音频孔|网线口|四分软管|双夹头|快充口|高清视频口",
    "extra": "备用电池|三片滤网|收纳袋|内六角扳手|清洁刷|膨胀螺丝|背带|防尘盖",
    "verdict": "明天还会再买一个|用了一周就漏水|我妈妈特别喜欢|价格实惠但说明书太差|走石板路也不晃"
    "|结实却比宣传的沉|飞机座位底下放得进|到货有划痕马上给换了",
    "advice": "请放在三岁以下儿童够不着处|只可手洗|每年拧紧一次螺丝|勿近明火|首次使用前充满|每月用白醋除垢",
    "day": "周一|周二|周三|周四|周五|周六|周日",
    "sky": "晨雾渐散|晴朗|沿海毛毛雨|零星雷暴|高山有雪|多云|局地冰雹|薄云",
    "side": "北|西南|东|西|东北|南|东南|西北",
    "wish": "骑车当心暗冰|赶集记得带伞|傍晚宜到露台小坐|幼苗最好盖膜|轮渡可能延误|环路上阳光刺眼",
    "plant": "桦树|榛子|艾蒿|豚草|桤木|黑麦|白蜡|车前草",
    "name": "罗文|汤玉兰|贺志强|邱晨|白雅琴|段飞|尹小川|樊胜|卓玛|龚平|乔安|庞大海",
    "shot": "近门柱头球|穿裆低射|点球擦梁|任意球直挂|凌空抽射|补射空门",
    "deed": "捂着膝盖下场|两次门线解围|铲球染红离场|错失空门|扭转战局|力保不失",
    "said": "上半场我们睡着了|没有谁比他们跑得多|运气再好一点就赢了|拿分就行|场地像沼泽|五月再来问我",
}
