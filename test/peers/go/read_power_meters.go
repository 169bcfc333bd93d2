// Reads power meters with the libraries that evcc uses, and prints the values as one line of JSON.
//
//	read_power_meters sma INTERFACE SERIAL     gitlab.com/bboehmke/sunny
//	read_power_meters sunspec ADDRESS UNIT     github.com/andig/gosunspec with github.com/grid-x/modbus
//
// With sma it prints an empty line once it listens, and continues after a line of input.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	sunspec "github.com/andig/gosunspec"
	reader "github.com/andig/gosunspec/modbus"
	_ "github.com/andig/gosunspec/models/model1"
	_ "github.com/andig/gosunspec/models/model213"
	"github.com/andig/gosunspec/typelabel"
	"github.com/grid-x/modbus"
	"gitlab.com/bboehmke/sunny"
)

func readSMA(network, serial string) (map[string]any, error) {
	connection, err := sunny.NewConnection(network)
	if err != nil {
		return nil, err
	}
	fmt.Println()
	fmt.Scanln()
	for _, device := range connection.SimpleDiscoverDevices("0000") {
		if fmt.Sprint(device.SerialNumber()) != serial {
			continue
		}
		found, err := device.GetValues()
		values := map[string]any{"isEnergyMeter": device.IsEnergyMeter()}
		for id, value := range found {
			values[id.String()] = value
		}
		return values, err
	}
	return nil, errors.New("no device with this serial number")
}

func readSunSpec(address, unit string) (map[string]any, error) {
	number, err := strconv.ParseUint(unit, 10, 8)
	if err != nil {
		return nil, err
	}
	handler := modbus.NewTCPClientHandler(address)
	handler.SlaveID = byte(number)
	defer handler.Close()
	devices, err := reader.Open(modbus.NewClient(handler))
	if err != nil {
		return nil, err
	}
	models := []int{}
	values := map[string]any{}
	devices.Do(func(device sunspec.Device) {
		device.Do(func(model sunspec.Model) {
			models = append(models, int(model.Id()))
			model.Do(func(block sunspec.Block) {
				if err = block.Read(); err != nil {
					return
				}
				block.Do(func(point sunspec.Point) {
					switch point.Type() {
					case typelabel.String:
						values[point.Id()] = point.StringValue()
					case typelabel.Float32:
						if number := float64(point.Float32()); !math.IsNaN(number) {
							values[point.Id()] = number
						}
					}
				})
			})
		})
	})
	values["models"] = models
	return values, err
}

func main() {
	read := map[string]func(string, string) (map[string]any, error){"sma": readSMA, "sunspec": readSunSpec}[os.Args[1]]
	values, err := read(os.Args[2], os.Args[3])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(values)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
