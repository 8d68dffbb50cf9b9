// What yosys has the ports of but not what it does, for simulation: a buffer into the clock network, and block RAM.

module DCCA (input CLKI, CE, output CLKO);
  assign CLKO = CLKI & CE;
endmodule

// Block RAM of an ECP5.
// 2048 bytes of nine bits; an address counts bits without parity. With 18 and 36 bits the low address bits enable bytes. A word of 36 bits is
// written through both inputs of port A's side and read on both outputs of port B's. [ECP5 and ECP5-5G Memory Usage Guide]
module DP16KD (
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    parameter DATA_WIDTH_A = 18;
    parameter DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG";
    parameter REGMODE_B = "NOREG";
    parameter RESETMODE = "SYNC";
    parameter ASYNC_RESET_RELEASE = "SYNC";
    parameter CSDECODE_A = "0b000";
    parameter CSDECODE_B = "0b000";
    parameter WRITEMODE_A = "NORMAL";
    parameter WRITEMODE_B = "NORMAL";
    parameter CLKAMUX = "CLKA";
    parameter CLKBMUX = "CLKB";
    parameter GSR = "AUTO";
    parameter INITVAL_00 = 320'h0;
    parameter INITVAL_01 = 320'h0;
    parameter INITVAL_02 = 320'h0;
    parameter INITVAL_03 = 320'h0;
    parameter INITVAL_04 = 320'h0;
    parameter INITVAL_05 = 320'h0;
    parameter INITVAL_06 = 320'h0;
    parameter INITVAL_07 = 320'h0;
    parameter INITVAL_08 = 320'h0;
    parameter INITVAL_09 = 320'h0;
    parameter INITVAL_0A = 320'h0;
    parameter INITVAL_0B = 320'h0;
    parameter INITVAL_0C = 320'h0;
    parameter INITVAL_0D = 320'h0;
    parameter INITVAL_0E = 320'h0;
    parameter INITVAL_0F = 320'h0;
    parameter INITVAL_10 = 320'h0;
    parameter INITVAL_11 = 320'h0;
    parameter INITVAL_12 = 320'h0;
    parameter INITVAL_13 = 320'h0;
    parameter INITVAL_14 = 320'h0;
    parameter INITVAL_15 = 320'h0;
    parameter INITVAL_16 = 320'h0;
    parameter INITVAL_17 = 320'h0;
    parameter INITVAL_18 = 320'h0;
    parameter INITVAL_19 = 320'h0;
    parameter INITVAL_1A = 320'h0;
    parameter INITVAL_1B = 320'h0;
    parameter INITVAL_1C = 320'h0;
    parameter INITVAL_1D = 320'h0;
    parameter INITVAL_1E = 320'h0;
    parameter INITVAL_1F = 320'h0;
    parameter INITVAL_20 = 320'h0;
    parameter INITVAL_21 = 320'h0;
    parameter INITVAL_22 = 320'h0;
    parameter INITVAL_23 = 320'h0;
    parameter INITVAL_24 = 320'h0;
    parameter INITVAL_25 = 320'h0;
    parameter INITVAL_26 = 320'h0;
    parameter INITVAL_27 = 320'h0;
    parameter INITVAL_28 = 320'h0;
    parameter INITVAL_29 = 320'h0;
    parameter INITVAL_2A = 320'h0;
    parameter INITVAL_2B = 320'h0;
    parameter INITVAL_2C = 320'h0;
    parameter INITVAL_2D = 320'h0;
    parameter INITVAL_2E = 320'h0;
    parameter INITVAL_2F = 320'h0;
    parameter INITVAL_30 = 320'h0;
    parameter INITVAL_31 = 320'h0;
    parameter INITVAL_32 = 320'h0;
    parameter INITVAL_33 = 320'h0;
    parameter INITVAL_34 = 320'h0;
    parameter INITVAL_35 = 320'h0;
    parameter INITVAL_36 = 320'h0;
    parameter INITVAL_37 = 320'h0;
    parameter INITVAL_38 = 320'h0;
    parameter INITVAL_39 = 320'h0;
    parameter INITVAL_3A = 320'h0;
    parameter INITVAL_3B = 320'h0;
    parameter INITVAL_3C = 320'h0;
    parameter INITVAL_3D = 320'h0;
    parameter INITVAL_3E = 320'h0;
    parameter INITVAL_3F = 320'h0;
    reg [8:0] bytes [0:2047];
    reg [35:0] latch_a, latch_b, out_a, out_b;
    wire [35:0] di_a = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
                        DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [35:0] di_b = {18'b0, DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
    wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [35:0] do_a = REGMODE_A == "OUTREG" ? out_a : latch_a;
    wire [35:0] do_b = REGMODE_B == "OUTREG" ? out_b : latch_b;
    // A port of 36 bits gives its low half on A and its high half on B.
    wire [17:0] shown_a = DATA_WIDTH_B == 36 ? do_b[17:0] : do_a[17:0];
    wire [17:0] shown_b = DATA_WIDTH_B == 36 ? do_b[35:18] : do_b[17:0];
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = shown_a;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = shown_b;

    function [35:0] word(input integer width, input [13:0] at);
        case (width)
            1: word = bytes[at[13:3]][at[2:0]];
            2: word = bytes[at[13:3]][{at[2:1], 1'b0} +: 2];
            4: word = bytes[at[13:3]][{at[2], 2'b0} +: 4];
            9: word = bytes[at[13:3]];
            18: word = {bytes[{at[13:4], 1'b1}], bytes[{at[13:4], 1'b0}]};
            default: word = {bytes[{at[13:5], 2'd3}], bytes[{at[13:5], 2'd2}], bytes[{at[13:5], 2'd1}], bytes[{at[13:5], 2'd0}]};
        endcase
    endfunction

    task store(input integer width, input [13:0] at, input [35:0] value);
        integer k;
        case (width)
            1: bytes[at[13:3]][at[2:0]] = value[0];
            2: bytes[at[13:3]][{at[2:1], 1'b0} +: 2] = value[1:0];
            4: bytes[at[13:3]][{at[2], 2'b0} +: 4] = value[3:0];
            9: bytes[at[13:3]] = value[8:0];
            18: for (k = 0; k < 2; k = k + 1) if (at[k]) bytes[{at[13:4], 1'b0} + k] = value[9 * k +: 9];
            default: for (k = 0; k < 4; k = k + 1) if (at[k]) bytes[{at[13:5], 2'b0} + k] = value[9 * k +: 9];
        endcase
    endtask

    integer place, row;
    reg [319:0] init [0:63];
    initial begin
        init[0] = INITVAL_00; init[1] = INITVAL_01; init[2] = INITVAL_02; init[3] = INITVAL_03;
        init[4] = INITVAL_04; init[5] = INITVAL_05; init[6] = INITVAL_06; init[7] = INITVAL_07;
        init[8] = INITVAL_08; init[9] = INITVAL_09; init[10] = INITVAL_0A; init[11] = INITVAL_0B;
        init[12] = INITVAL_0C; init[13] = INITVAL_0D; init[14] = INITVAL_0E; init[15] = INITVAL_0F;
        init[16] = INITVAL_10; init[17] = INITVAL_11; init[18] = INITVAL_12; init[19] = INITVAL_13;
        init[20] = INITVAL_14; init[21] = INITVAL_15; init[22] = INITVAL_16; init[23] = INITVAL_17;
        init[24] = INITVAL_18; init[25] = INITVAL_19; init[26] = INITVAL_1A; init[27] = INITVAL_1B;
        init[28] = INITVAL_1C; init[29] = INITVAL_1D; init[30] = INITVAL_1E; init[31] = INITVAL_1F;
        init[32] = INITVAL_20; init[33] = INITVAL_21; init[34] = INITVAL_22; init[35] = INITVAL_23;
        init[36] = INITVAL_24; init[37] = INITVAL_25; init[38] = INITVAL_26; init[39] = INITVAL_27;
        init[40] = INITVAL_28; init[41] = INITVAL_29; init[42] = INITVAL_2A; init[43] = INITVAL_2B;
        init[44] = INITVAL_2C; init[45] = INITVAL_2D; init[46] = INITVAL_2E; init[47] = INITVAL_2F;
        init[48] = INITVAL_30; init[49] = INITVAL_31; init[50] = INITVAL_32; init[51] = INITVAL_33;
        init[52] = INITVAL_34; init[53] = INITVAL_35; init[54] = INITVAL_36; init[55] = INITVAL_37;
        init[56] = INITVAL_38; init[57] = INITVAL_39; init[58] = INITVAL_3A; init[59] = INITVAL_3B;
        init[60] = INITVAL_3C; init[61] = INITVAL_3D; init[62] = INITVAL_3E; init[63] = INITVAL_3F;
        for (row = 0; row < 64; row = row + 1)
            for (place = 0; place < 16; place = place + 1) begin
                bytes[32 * row + 2 * place] = init[row][20 * place +: 9];
                bytes[32 * row + 2 * place + 1] = init[row][20 * place + 9 +: 9];
            end
        latch_a = 0;
        latch_b = 0;
        out_a = 0;
        out_b = 0;
    end

    // Both ports look before either writes: what is read while it is written is the old word here, and must not matter.
    reg [35:0] before_a, before_b;
    always @(posedge CLKA) begin
        before_a = word(DATA_WIDTH_A, ad_a);
        if (OCEA) out_a <= latch_a;
        #0;
        if (CEA) begin
            if (RSTA) latch_a <= 0;
            else if (!WEA || WRITEMODE_A == "READBEFOREWRITE") latch_a <= before_a;
            else if (WRITEMODE_A == "WRITETHROUGH") latch_a <= di_a;
            if (WEA) store(DATA_WIDTH_A, ad_a, di_a);
        end
    end
    always @(posedge CLKB) begin
        before_b = word(DATA_WIDTH_B, ad_b);
        if (OCEB) out_b <= latch_b;
        #0;
        if (CEB) begin
            if (RSTB) latch_b <= 0;
            else if (!WEB || WRITEMODE_B == "READBEFOREWRITE") latch_b <= before_b;
            else if (WRITEMODE_B == "WRITETHROUGH") latch_b <= di_b;
            if (WEB) store(DATA_WIDTH_B, ad_b, di_b);
        end
    end
endmodule
